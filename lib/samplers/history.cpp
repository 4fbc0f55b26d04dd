// SPDX-License-Identifier: Apache-2.0
#include "samplers/history.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "pareto/fronts.hpp"

namespace dlrun::samplers {

namespace {

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

History::History(const space::Space& space)
    : space_(space), axes_(axes_of(space)), columns_(axes_.size()), ascending_(axes_.size()) {}

void History::on_start(trial::TrialId trial, const space::Values& values) {
  numbers_[trial.value] = static_cast<std::uint32_t>(trials_.size());
  trials_.emplace_back();
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    columns_[a].push_back(coordinate_of(space_, axes_[a], values[axes_[a].parameter]));
    if (!axes_[a].is_categorical) sort_in(a);
  }
}

std::uint32_t History::add_earlier(const space::Values& values) {
  const auto number = static_cast<std::uint32_t>(trials_.size());
  on_start({}, values);
  numbers_.erase(trial::TrialId().value);
  trials_.back().is_earlier = true;
  return number;
}

/// The newest trial to its place in ascending order.
void History::sort_in(std::size_t axis) {
  const std::vector<double>& column = columns_[axis];
  if (std::isnan(column.back())) return;
  auto& order = ascending_[axis];
  const auto after = [&](double x, std::uint32_t trial) { return x < column[trial]; };
  order.insert(std::upper_bound(order.begin(), order.end(), column.back(), after),
               static_cast<std::uint32_t>(column.size() - 1));
}

void History::on_result(const Observation& observation) {
  const auto found = numbers_.find(observation.trial.value);
  if (found == numbers_.end()) return;
  const std::uint32_t number = found->second;
  Told& told = trials_[number];
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return is_before(a, b); };
  has_several_ |= !observation.further.empty();
  is_stale_ = has_several_;
  if (told.is_ranked && !has_several_) ranked_.erase(std::lower_bound(ranked_.begin(), ranked_.end(), number, before));
  if (told.is_ranked && !told.is_whole) --paused_;
  if (!told.is_seen) ++seen_;
  told.is_seen = true;
  told.is_ranked = observation.objective && std::isfinite(*observation.objective);
  if (!told.is_ranked) return;
  told.score = {{*observation.objective}, observation.violation()};
  told.score.values.insert(told.score.values.end(), observation.further.begin(), observation.further.end());
  told.excess = observation.excess;
  told.steps = observation.steps;
  told.is_whole = observation.is_whole;
  if (!told.is_whole) ++paused_;
  constexpr std::int64_t kWhole = std::numeric_limits<std::int64_t>::max();
  budgets_[told.is_whole ? kWhole : told.steps].emplace(told.score.violation, told.objective(), number);
  if (!has_several_) ranked_.insert(std::lower_bound(ranked_.begin(), ranked_.end(), number, before), number);
}

bool History::is_before(std::uint32_t a, std::uint32_t b) const {
  const auto key = [&](std::uint32_t i) {
    const Told& t = trials_[i];
    const bool is_feasible = t.score.is_feasible();
    const bool is_paused = is_feasible && !t.is_whole;
    return std::tuple(!t.is_ranked, !is_feasible, is_feasible ? 0 : t.score.violation, is_paused,
                      is_paused ? -t.steps : 0, t.objective(), i);
  };
  return key(a) < key(b);
}

std::vector<std::vector<std::uint32_t>> History::tiers_of(const std::vector<std::uint32_t>& trials) const {
  std::map<std::pair<int, std::int64_t>, std::vector<std::uint32_t>> groups;  // whole, paused by -steps, infeasible
  for (const std::uint32_t i : trials) {
    const Told& t = trials_[i];
    const bool is_paused = t.score.is_feasible() && !t.is_whole;
    groups[{!t.score.is_feasible() ? 2 : is_paused ? 1 : 0, is_paused ? -t.steps : 0}].push_back(i);
  }
  std::vector<std::vector<std::uint32_t>> tiers;
  for (const auto& [key, group] : groups) {
    std::vector<pareto::Score> scores;
    for (const std::uint32_t i : group) scores.push_back(trials_[i].score);
    const std::vector<int> ranks = pareto::ranks_of(scores);
    const std::size_t first = tiers.size();
    for (std::size_t k = 0; k < group.size(); ++k) {
      const std::size_t tier = first + static_cast<std::size_t>(ranks[k]);
      if (tier >= tiers.size()) tiers.resize(tier + 1);
      tiers[tier].push_back(group[k]);
    }
  }
  return tiers;
}

const std::vector<std::uint32_t>& History::ranked() const {
  if (!is_stale_) return ranked_;
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < trials_.size(); ++i) {
    if (trials_[i].is_ranked) all.push_back(i);
  }
  ranked_.clear();
  for (const auto& tier : tiers_of(all)) ranked_.insert(ranked_.end(), tier.begin(), tier.end());
  is_stale_ = false;
  return ranked_;
}

std::vector<std::uint32_t> History::trials_that(bool are_seen) const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < trials_.size(); ++i) {
    if (trials_[i].is_seen == are_seen && !trials_[i].is_earlier) out.push_back(i);
  }
  return out;
}

std::vector<std::uint32_t> History::ranked_at_largest_budget(std::size_t least) const {
  std::vector<std::uint32_t> out;
  for (auto budget = budgets_.rbegin(); budget != budgets_.rend(); ++budget) {
    out.clear();
    for (const auto& [violation, value, trial] : budget->second) {
      if (trials_[trial].is_ranked) out.push_back(trial);
    }
    if (out.size() >= least) return out;
  }
  return {};
}

std::vector<double> History::projected() const {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::size_t ranked = ranked_.size();
  if (has_several_ || budgets_.empty() || budgets_.begin()->second.size() < ranked) return {};
  std::vector<double> values(trials_.size(), none);
  for (const auto& [steps, budget] : budgets_) {
    std::vector<double> changes;
    for (const auto& [violation, value, trial] : budget) {
      if (!std::isnan(values[trial])) changes.push_back(value - values[trial]);
    }
    const double change = changes.empty() ? 0 : median_of(changes);
    for (double& value : values) value += change;
    for (const auto& [violation, value, trial] : budget) values[trial] = value;
  }
  return values;
}

Coordinates History::coordinates(std::size_t trial) const {
  Coordinates out;
  for (const auto& column : columns_) out.push_back(column[trial]);
  return out;
}

}  // namespace dlrun::samplers
