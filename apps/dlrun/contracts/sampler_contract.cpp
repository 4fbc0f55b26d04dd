// SPDX-License-Identifier: Apache-2.0
// The contract of samplers, as include/dlrun/plugin/sampler.hpp states it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "contracts/contract.hpp"
#include "contracts/episode.hpp"
#include "contracts/spaces.hpp"
#include "util/memory.hpp"

namespace dlrun::cli {

namespace {

constexpr std::uint64_t kStudySeed = 7;
constexpr int kProposals = 2000;                 ///< for the test for leaks
constexpr std::int64_t kMostGrowth = 1'000'000;  ///< bytes for these

guest::GuestSampler sampler_for(const Tested& tested, const space::Space& space, std::size_t objectives = 1) {
  return guest::GuestSampler(
      space,
      {.name = tested.plugin.manifest->name, .options = tested.section, .seed = kStudySeed, .objectives = objectives});
}

/// The answer of a process that was told the news before a proposal, as a run that continues a study is.
void check_replayed(const Tested& tested, const space::Space& space, const EpisodeOptions& options,
                    const Episode& episode, const Asked& asked) {
  auto sampler = sampler_for(tested, space, options.objectives);
  for (std::size_t i = 0; i < asked.after; ++i) tell(sampler, episode.news[i]);
  const auto values = sampler.propose(asked.number);
  if (values == asked.values && sampler.reason() == asked.reason) return;
  const auto text = [&](const auto& proposed) { return proposed ? to_text(space.params(*proposed)) : "nothing"; };
  throw Broken{fmt::format("decision {}: one process proposed {}, another one that was told the same proposed {}",
                           asked.number, text(asked.values), text(values))};
}

/// Plays an episode, asks twice, and asks other processes for some of its proposals.
std::string check_episode(const Tested& tested, const space::Space& space, const EpisodeOptions& options) {
  auto sampler = sampler_for(tested, space, options.objectives);
  const Episode episode = play(sampler, space, options, true);
  const std::size_t last = episode.asked.size() - 1;
  for (const std::size_t at : {std::size_t(0), last / 2, last})
    check_replayed(tested, space, options, episode, episode.asked[at]);
  return fmt::format("{} proposals, 3 of them in a second process", episode.asked.size());
}

void ask_often(guest::GuestSampler& sampler, std::int64_t from, int count) {
  for (std::int64_t number = from; number < from + count; ++number) (void)sampler.propose(number);
}

std::string check_memory(const Tested& tested) {
  const space::Space space = mixed_space();
  auto sampler = sampler_for(tested, space);
  (void)play(sampler, space, {}, false);
  ask_often(sampler, 1000, kProposals / 10);
  const std::int64_t before = own_memory(sampler.process().pid());
  ask_often(sampler, 10'000, kProposals);
  const std::int64_t grown = own_memory(sampler.process().pid()) - before;
  std::string text = fmt::format("{} proposals: {:.1f} MB more", kProposals, double(grown) / 1e6);
  if (grown > kMostGrowth) throw Broken{text + ", though nothing new was told"};
  return text;
}

std::string measure_time(const Tested& tested) {
  constexpr int kTrials = 100, kAsked = 200;
  const space::Space space = mixed_space();
  auto sampler = sampler_for(tested, space);
  (void)play(sampler, space, {.trials = kTrials}, false);
  const auto start = std::chrono::steady_clock::now();
  ask_often(sampler, 10'000, kAsked);
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  return fmt::format("{:.3f} ms for a proposal after {} trials", spent.count() / kAsked, kTrials);
}

}  // namespace

std::vector<Check> sampler_checks(const Tested& tested) {
  std::vector<Check> checks;
  for (const NamedSpace& named : contract_spaces())
    checks.push_back({"proposals: " + named.name, [=, &tested] { return check_episode(tested, named.space, {}); }});
  const auto add = [&](const char* name, const EpisodeOptions& options) {
    checks.push_back({name, [=, &tested] { return check_episode(tested, mixed_space(), options); }});
  };
  add("16 trials pending", {.pending = 16});
  add("every trial fails", {.every_failed = 1});
  const Json& manifest = tested.plugin.manifest->whole;
  if (manifest.value("several", false)) add("two objectives", {.objectives = 2});
  if (manifest.value("learns", false)) add("earlier trials", {.lessons = 20});
  checks.push_back({"memory", [&tested] { return check_memory(tested); }});
  checks.push_back({"time", [&tested] { return measure_time(tested); }});
  return checks;
}

}  // namespace dlrun::cli
