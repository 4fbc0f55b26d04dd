// SPDX-License-Identifier: Apache-2.0
#include "driver/recorded_study.hpp"

#include <fmt/format.h>

#include "driver/amending.hpp"
#include "driver/sampling.hpp"
#include "storage/reading.hpp"
#include "util/error.hpp"

namespace dlrun::driver {

namespace {

std::unique_ptr<samplers::Sampler> sampler_of(const spec::StudySpec& spec) {
  if (spec.retune) return std::make_unique<samplers::RetuneSampler>(spec.space, *spec.retune, spec.seed);
  if (spec.cells) return std::make_unique<samplers::CellSampler>(spec.space, *spec.cells);
  if (spec.race) return std::make_unique<samplers::RaceSampler>(spec.space, *spec.race);
  if (spec.rounds) return std::make_unique<samplers::RoundSampler>(spec.space, *spec.rounds);
  return make_sampler(spec, spec.space, spec.seed);
}

}  // namespace

spec::StudySpec spec_of(const storage::StudyRow& row) { return spec::from_json(row.spec, row.spec_text); }

std::unique_ptr<study::Study> new_study(const spec::StudySpec& spec) {
  return std::make_unique<study::Study>(spec.rules, spec.space, sampler_of(spec), make_pruner(spec));
}

study::Event with_meaning(const Versions& versions, const study::Event& event) {
  const auto* found = std::get_if<study::Amended>(&event);
  if (found == nullptr) return event;
  study::Amended amended = *found;
  const auto version = static_cast<std::size_t>(amended.version);
  if (version == 0 || version >= versions.size()) {
    throw Error(ErrorKind::store, fmt::format("version {} of the spec is missing", version),
                "run the same command again");
  }
  amended.to = std::make_shared<study::Amendment>(
      amendment(spec_of(versions[version - 1]), spec_of(versions[version]), amended.defaults));
  return amended;
}

std::unique_ptr<study::Study> replayed(const std::filesystem::path& folder, const std::string& study) {
  const Versions versions = storage::Store::versions(folder, study);
  if (versions.empty()) throw Error(ErrorKind::not_found, "there is no study '" + study + "'");
  auto out = new_study(spec_of(versions.front()));
  storage::read_log(folder, study, [&](const storage::LogRow& row) {
    if (const auto* event = std::get_if<study::Event>(&row)) out->absorb(with_meaning(versions, *event));
    if (const auto* decision = std::get_if<study::Decision>(&row)) out->apply(*decision);
  });
  return out;
}

}  // namespace dlrun::driver
