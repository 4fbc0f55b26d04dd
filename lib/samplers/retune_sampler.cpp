// SPDX-License-Identifier: Apache-2.0
#include "samplers/retune_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "samplers/random_sampler.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace dlrun::samplers {

namespace {

using space::Parameter;
using space::Space;
using space::Values;

constexpr std::int64_t kTuning = 1;  // the second value of `purpose`
constexpr std::size_t kBaselineCell = 0;

/// The seed with which all variants search in a tuning.
std::uint64_t seed_of(std::size_t tuning, std::uint64_t seed) {
  return tuning == 0 ? seed : RandomStream(seed, {"retune", std::to_string(tuning)}).next_u64();
}

/// The parameters of cells alone.
Space cells_of(const Space& space, std::size_t variant) {
  const auto& all = space.parameters();
  return Space(std::vector<Parameter>(all.begin(), all.begin() + std::ptrdiff_t(variant) + 1));
}

}  // namespace

RetuneSampler::RetuneSampler(const Space& space, const RetuneOptions& options, std::uint64_t seed)
    : space_(space),
      purpose_(options.purpose),
      tuning_(options.tuning),
      replicate_(options.cells.replicate),
      variant_(options.cells.variant),
      cells_(cells_of(space, options.cells.variant), options.cells),
      tunings_(std::size_t(*space.count(options.tuning))) {
  for (std::size_t k = 0; k < tunings_.size(); ++k) {
    tunings_[k].resize(std::size_t(*space.count(variant_)));
    options.sampler == "random" ? add_points(k, seed, options.trials)
                                : add_searches(k, options, options.has_own_seeds ? seed_of(k, seed) : seed);
  }
}

/// Adds the same points for all variants: of a random search the first, or those after the ones of the tunings before.
void RetuneSampler::add_points(std::size_t tuning, std::uint64_t seed, std::int64_t trials) {
  const Settings all = settings_of(space_, variant_, std::nullopt);
  RandomSampler points(all.space, seed);
  for (std::int64_t i = 0; i < trials; ++i) {
    const auto settings = points.propose(std::int64_t(tuning) * trials + i);
    if (!settings) return;  // no more points
    points.on_start(trial::TrialId(i), *settings);
    for (std::size_t v = 0; v < tunings_[tuning].size(); ++v)
      tunings_[tuning][v].candidates.add(all.put_into(space_, cell_of(tuning, v), *settings));
  }
}

/// Each variant searches for itself, beginning with the same random numbers.
void RetuneSampler::add_searches(std::size_t tuning, const RetuneOptions& options, std::uint64_t seed) {
  for (std::size_t v = 0; v < tunings_[tuning].size(); ++v) {
    Candidates& candidates = tunings_[tuning][v].candidates;
    Settings own = settings_of(space_, variant_, v);
    if (own.space.cardinality() == 1) {  // the variant has no choice
      candidates.add(own.put_into(space_, cell_of(tuning, v), *RandomSampler(own.space, seed).propose(0)));
      continue;
    }
    auto search = make_sampler(options.sampler, own.space, seed);
    const std::int64_t first = std::int64_t(tuning) * options.trials;
    candidates.search({space_, cell_of(tuning, v), std::move(own), std::move(search), first, options.trials});
  }
}

std::vector<std::size_t> RetuneSampler::tuning_runs() const {
  std::vector<std::size_t> runs(tunings_.front().size());
  for (const Tunings& tunings : tunings_) {
    for (std::size_t v = 0; v < runs.size(); ++v) {
      const Candidates& own = tunings[v].candidates;
      runs[v] += own.has_choice() ? own.planned() : 0;
    }
  }
  return runs;
}

/// A trial that tunes the variant, without settings.
Values RetuneSampler::cell_of(std::size_t tuning, std::size_t variant) const {
  Values values(variant_ + 1);
  for (std::size_t i = 0; i <= variant_; ++i) {
    const std::int64_t number = i == purpose_   ? kTuning
                                : i == tuning_  ? std::int64_t(tuning)
                                : i == variant_ ? std::int64_t(variant)
                                                : 0;  // a constant
    if (space_.is_active(i, values)) values[i] = space_.value_at(i, number);
  }
  return values;
}

bool RetuneSampler::is_tuning(const Values& values) const {
  return space_.index_of(purpose_, values[purpose_]) == kTuning;
}

std::size_t RetuneSampler::variant_of(const Values& values) const {
  return std::size_t(space_.index_of(variant_, values[variant_]));
}

RetuneSampler::Tuning& RetuneSampler::tuning_of(const Values& values) {
  const std::size_t axis = is_tuning(values) ? tuning_ : replicate_;
  const auto number = std::size_t(space_.index_of(axis, values[axis]));
  return tunings_[tunings_.size() == 1 ? 0 : number][variant_of(values)];
}

void RetuneSampler::on_start(trial::TrialId trial, const Values& values) {
  Tuning& tuning = tuning_of(values);
  if (is_tuning(values)) return tuning.candidates.on_start(trial, values);
  if (!tuning.begun) tuning.begun = values;
  cells_.on_start(trial, values);
}

void RetuneSampler::on_result(const Observation& result) {
  if (is_tuning(result.values)) return tuning_of(result.values).candidates.on_result(result);
  cells_.on_result(result);
}

/// Whether no point that was tried has trained.
bool RetuneSampler::Tuning::has_failed() const {
  return !begun && candidates.has_choice() && candidates.is_over() && !candidates.winner();
}

/// Values that replicates run with; nullopt: not known yet, or nothing trained.
std::optional<Values> RetuneSampler::Tuning::chosen() const {
  if (begun) return begun;
  if (!candidates.has_choice()) return candidates.first();
  return candidates.is_over() ? candidates.winner() : std::nullopt;
}

/// A candidate of the cell's tuning, or the cell with what won; nullopt: it has to wait.
std::optional<Values> RetuneSampler::next_for(const Cell& cell) {
  Tuning& own = tunings_of(cell)[cell.variant];
  if (own.candidates.has_choice() && !own.begun) {
    if (auto candidate = own.candidates.next()) return candidate;
  }
  auto values = own.chosen();
  if (!values || tunings_of(cell)[kBaselineCell].has_failed()) return std::nullopt;
  const Values place = cells_.values_of(cell);
  std::copy(place.begin(), place.end(), values->begin());
  return values;
}

std::string RetuneSampler::why(const Values& values) {
  const Candidates& own = tuning_of(values).candidates;
  if (is_tuning(values))
    return fmt::format("one of {} settings that {} is tuned with", own.planned(),
                       to_text(space_.to_json(variant_, values[variant_])));
  return own.has_choice() ? fmt::format("{}, with the best of {} settings", cells_.reason(), own.size())
                          : cells_.reason();
}

std::string RetuneSampler::why_none() const {
  std::size_t waiting = 0, failed = 0, without = 0;
  for (const Tunings& tunings : tunings_) {
    without += tunings[kBaselineCell].has_failed();
    for (const Tuning& own : tunings) {
      failed += own.has_failed();
      waiting += own.candidates.has_choice() && !own.begun && own.candidates.is_waiting();
    }
  }
  if (without == tunings_.size()) return "no settings of the baseline trained: there is nothing to compare with";
  if (waiting > 0) return fmt::format("{}; {} tunings are not over", cells_.reason(), waiting);
  if (failed > 0) return fmt::format("{}; no settings trained in {} tunings", cells_.reason(), failed);
  return cells_.reason();
}

std::optional<Values> RetuneSampler::propose(std::int64_t) {
  std::optional<Values> values;
  cells_.next([&](const Cell& cell) { return (values = next_for(cell)).has_value(); });
  reason_ = values ? why(*values) : why_none();
  return values;
}

}  // namespace dlrun::samplers
