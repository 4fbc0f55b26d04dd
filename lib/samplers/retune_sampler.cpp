// SPDX-License-Identifier: Apache-2.0
#include "samplers/retune_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "samplers/random_sampler.hpp"
#include "util/json.hpp"

namespace dlrun::samplers {

namespace {

using space::Parameter;
using space::Space;
using space::Values;

constexpr std::int64_t kTuning = 1;  // the second value of `purpose`
constexpr std::size_t kBaseline = 0;

/// The parameters of cells alone.
Space cells_of(const Space& space, std::size_t variant) {
  const auto& all = space.parameters();
  return Space(std::vector<Parameter>(all.begin(), all.begin() + std::ptrdiff_t(variant) + 1));
}

}  // namespace

RetuneSampler::RetuneSampler(const Space& space, const RetuneOptions& options, std::uint64_t seed)
    : space_(space),
      purpose_(options.purpose),
      variant_(options.cells.variant),
      candidates_(std::size_t(*space.count(options.cells.variant))),
      begun_(candidates_.size()),
      cells_(cells_of(space, options.cells.variant), [&] {
        CellOptions cells = options.cells;
        cells.is_open = [this](std::size_t variant) { return !has_failed(kBaseline) && chosen(variant); };
        return cells;
      }()) {
  if (options.sampler == "random") {
    add_points(seed, options.trials);
  } else {
    add_searches(options.sampler, seed, options.trials);
  }
}

/// The same points for all: the first of a random search.
void RetuneSampler::add_points(std::uint64_t seed, std::int64_t trials) {
  const Settings all = settings_of(space_, variant_, std::nullopt);
  RandomSampler points(all.space, seed);
  for (std::int64_t number = 0; number < trials; ++number) {
    const auto settings = points.propose(number);
    if (!settings) return;  // these are all
    points.on_start(trial::TrialId(number), *settings);
    for (std::size_t v = 0; v < candidates_.size(); ++v)
      candidates_[v].add(all.put_into(space_, cell_of(v), *settings));
  }
}

/// Each variant searches for itself, beginning with the same random numbers.
void RetuneSampler::add_searches(const std::string& sampler, std::uint64_t seed, std::int64_t trials) {
  for (std::size_t v = 0; v < candidates_.size(); ++v) {
    Settings own = settings_of(space_, variant_, v);
    if (own.space.cardinality() == 1) {  // nothing to choose
      candidates_[v].add(own.put_into(space_, cell_of(v), *RandomSampler(own.space, seed).propose(0)));
      continue;
    }
    auto search = make_sampler(sampler, own.space, seed);
    candidates_[v].search({space_, cell_of(v), std::move(own), std::move(search), trials});
  }
}

std::vector<std::size_t> RetuneSampler::tuning_runs() const {
  std::vector<std::size_t> runs;
  for (const Candidates& own : candidates_) runs.push_back(own.has_choice() ? own.planned() : 0);
  return runs;
}

/// A trial that tunes the variant, without settings.
Values RetuneSampler::cell_of(std::size_t variant) const {
  Values values(variant_ + 1);
  for (std::size_t i = 0; i < variant_; ++i) {
    if (i == purpose_) values[i] = space_.value_at(i, kTuning);
    if (i != purpose_ && space_.is_active(i, values)) values[i] = space_.value_at(i, 0);  // a constant
  }
  values[variant_] = space_.value_at(variant_, std::int64_t(variant));
  return values;
}

bool RetuneSampler::is_tuning(const Values& values) const {
  return space_.index_of(purpose_, values[purpose_]) == kTuning;
}

std::size_t RetuneSampler::variant_of(const Values& values) const {
  return std::size_t(space_.index_of(variant_, values[variant_]));
}

void RetuneSampler::on_start(trial::TrialId trial, const Values& values) {
  const std::size_t variant = variant_of(values);
  if (is_tuning(values)) return candidates_[variant].on_start(trial, values);
  if (!begun_[variant]) begun_[variant] = values;
  cells_.on_start(trial, values);
}

void RetuneSampler::on_result(const Observation& result) {
  if (is_tuning(result.values)) return candidates_[variant_of(result.values)].on_result(result);
  cells_.on_result(result);
}

/// Has nothing that was tried trained?
bool RetuneSampler::has_failed(std::size_t variant) const {
  const Candidates& own = candidates_[variant];
  return !begun_[variant] && own.has_choice() && own.is_over() && !own.winner();
}

/// What its replicates run with; nullopt: not known yet, or nothing trained.
std::optional<Values> RetuneSampler::chosen(std::size_t variant) const {
  if (begun_[variant]) return begun_[variant];
  const Candidates& own = candidates_[variant];
  if (!own.has_choice()) return own.first();
  return own.is_over() ? own.winner() : std::nullopt;
}

std::optional<Values> RetuneSampler::next_candidate() {
  for (Candidates& own : candidates_) {
    if (!own.has_choice()) continue;
    if (auto values = own.next()) return values;
  }
  return std::nullopt;
}

std::optional<Values> RetuneSampler::next_cell(std::int64_t number) {
  auto cell = cells_.propose(number);
  if (!cell) return std::nullopt;
  Values values = *chosen(variant_of(*cell));
  std::copy(cell->begin(), cell->end(), values.begin());
  return values;
}

std::string RetuneSampler::why(const Values& cell) const {
  const std::size_t tried = candidates_[variant_of(cell)].size();
  return tried < 2 ? cells_.reason() : fmt::format("{}, with the best of {} settings", cells_.reason(), tried);
}

std::string RetuneSampler::why_none() const {
  std::size_t waiting = 0, failed = 0;
  for (std::size_t v = 0; v < candidates_.size(); ++v) {
    failed += has_failed(v);
    waiting += !has_failed(v) && !chosen(v);
  }
  if (waiting > 0) return fmt::format("{} of {} variants wait for their settings", waiting, candidates_.size());
  if (has_failed(kBaseline)) return "no settings of the baseline trained: there is nothing to compare with";
  if (failed > 0) return fmt::format("{}; no settings of {} variants trained", cells_.reason(), failed);
  return cells_.reason();
}

std::optional<Values> RetuneSampler::propose(std::int64_t number) {
  if (auto values = next_candidate()) {
    const Candidates& own = candidates_[variant_of(*values)];
    reason_ = fmt::format("one of {} settings that {} is tuned with", own.planned(),
                          to_text(space_.to_json(variant_, (*values)[variant_])));
    return values;
  }
  auto values = next_cell(number);
  reason_ = values ? why(*values) : why_none();
  return values;
}

}  // namespace dlrun::samplers
