// SPDX-License-Identifier: Apache-2.0
// The contract of pruners, as include/dlrun/plugin/pruner.hpp states it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "contracts/contract.hpp"
#include "guest/guest_pruner.hpp"
#include "util/random.hpp"

namespace dlrun::cli {

namespace {

constexpr std::uint64_t kSeedOfTrials = 7;
constexpr std::int64_t kEpochs = 8;  ///< epochs of a trial

struct Rounds {
  int trials = 60;
  int every_failed = 7;  ///< each of these trials fails at its second rung; 1: all
  bool maximize = false;
  bool has_bounds = false;
};

guest::GuestPruner pruner_for(const Tested& tested, const Rounds& rounds) {
  return guest::GuestPruner(
      {.name = tested.plugin.manifest->name,
       .options = tested.section,
       .ladder = {.min_budget = 1, .max_budget = kEpochs, .interval = 1},
       .study = {.seed = kSeedOfTrials, .by_score = rounds.has_bounds, .maximize = rounds.maximize}});
}

/// A trial's curve falls to a level of its own.
double value_at(trial::TrialId trial, std::int64_t epoch) {
  RandomStream random(5, {"pruner", std::to_string(trial.value)});
  const double level = random.uniform(), begin = 1 + random.uniform();
  return level + (begin - level) / double(epoch);
}

std::optional<pareto::Score> score_at(const Rounds& rounds, trial::TrialId trial, int rung) {
  const bool has_failed = rung == 1 && (trial.value + 1) % rounds.every_failed == 0;
  if (has_failed) return std::nullopt;
  const double violation = rounds.has_bounds && trial.value % 3 == 0 ? 0.5 : 0;
  return pareto::Score{{value_at(trial, rung + 1)}, violation};
}

/// A text for each verdict, in order.
using Verdicts = std::vector<std::string>;

/// Trials under way, each with the rung that it reaches next.
class Course {
 public:
  Course(guest::GuestPruner& pruner, const Rounds& rounds) : pruner_(pruner), rounds_(rounds) {}

  /// Four trials at a time: after each step the pruner's own answers say who goes on.
  Verdicts play() {
    for (int i = 0; i < rounds_.trials; ++i) {
      const trial::TrialId trial(i);
      pruner_.on_start(trial);
      tell(trial, 0);
      if (i % 4 == 3) settle();
    }
    settle();
    return verdicts_;
  }

 private:
  void tell(trial::TrialId trial, int rung) {
    pruner_.on_curve(trial, {{rung + 1, value_at(trial, rung + 1)}});
    const auto score = score_at(rounds_, trial, rung);
    pruner_.on_score(trial, rung, score);
    if (!score) pruner_.on_gone(trial);
  }

  void settle() {
    while (true) {
      if (const auto stop = pruner_.next_stop()) {
        verdicts_.push_back(fmt::format("trial {} stops, {}", stop->trial.value, stop->reason));
        pruner_.on_gone(stop->trial);
      } else if (const auto next = pruner_.next()) {
        verdicts_.push_back(fmt::format("trial {} goes on, {}", next->trial.value, next->reason));
        pruner_.claim(next->trial, next->rung);
        tell(next->trial, next->rung + 1);
      } else {
        return;
      }
    }
  }

  guest::GuestPruner& pruner_;
  Rounds rounds_;
  Verdicts verdicts_;
};

Verdicts verdicts_of(const Tested& tested, const Rounds& rounds) {
  guest::GuestPruner pruner = pruner_for(tested, rounds);
  return Course(pruner, rounds).play();
}

/// A second process that is told the same gives the same verdicts, as a run that continues a study has to.
std::string check_rounds(const Tested& tested, const Rounds& rounds) {
  const Verdicts first = verdicts_of(tested, rounds), second = verdicts_of(tested, rounds);
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    if (first[i] != second[i])
      throw Broken{fmt::format("verdict {}: one process said '{}', another one that was told the same said '{}'", i,
                               first[i], second[i])};
  }
  const auto stops = std::count_if(first.begin(), first.end(),
                                   [](const std::string& text) { return text.find(" stops, ") != std::string::npos; });
  return fmt::format("{} verdicts, of which {} stop, the same in a second process", first.size(), stops);
}

std::string measure_judging(const Tested& tested) {
  const auto start = std::chrono::steady_clock::now();
  const std::size_t count = verdicts_of(tested, {.trials = 200}).size();
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  return fmt::format("{:.3f} ms for a verdict", spent.count() / double(std::max<std::size_t>(count, 1)));
}

}  // namespace

std::vector<Check> pruner_checks(const Tested& tested) {
  std::vector<Check> checks;
  const auto add = [&](const char* name, const Rounds& rounds) {
    checks.push_back({name, [=, &tested] { return check_rounds(tested, rounds); }});
  };
  add("verdicts", {});
  add("a metric that grows", {.maximize = true});
  add("every trial fails", {.every_failed = 1});
  if (tested.plugin.manifest->whole.value("bounds", false)) add("bounds", {.has_bounds = true});
  checks.push_back({"time", [&tested] { return measure_judging(tested); }});
  return checks;
}

}  // namespace dlrun::cli
