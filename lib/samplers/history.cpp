// SPDX-License-Identifier: Apache-2.0
#include "samplers/history.hpp"

#include <algorithm>
#include <tuple>

namespace dlrun::samplers {

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
  if (told.is_ranked) ranked_.erase(std::lower_bound(ranked_.begin(), ranked_.end(), number, before));
  if (!told.is_seen) ++seen_;
  told.is_seen = true;
  told.is_ranked = observation.objective && std::isfinite(*observation.objective);
  if (!told.is_ranked) return;
  told.objective = *observation.objective;
  told.steps = observation.steps;
  told.is_whole = observation.is_whole;
  constexpr std::int64_t kWhole = std::numeric_limits<std::int64_t>::max();
  budgets_[told.is_whole ? kWhole : told.steps].emplace(told.objective, number);
  ranked_.insert(std::lower_bound(ranked_.begin(), ranked_.end(), number, before), number);
}

bool History::is_before(std::uint32_t a, std::uint32_t b) const {
  const auto key = [&](std::uint32_t i) {
    const Told& t = trials_[i];
    return std::tuple(!t.is_ranked, !t.is_whole, t.is_whole ? 0 : -t.steps, t.objective, i);
  };
  return key(a) < key(b);
}

std::vector<std::uint32_t> History::trials_that(bool are_seen) const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < trials_.size(); ++i) {
    if (trials_[i].is_seen == are_seen) out.push_back(i);
  }
  return out;
}

std::vector<std::uint32_t> History::ranked_at_largest_budget(std::size_t least) const {
  std::vector<std::uint32_t> out;
  const auto enough = [&](const auto& budget) { return budget.second.size() >= least; };
  const auto found = std::find_if(budgets_.rbegin(), budgets_.rend(), enough);
  if (found == budgets_.rend()) return out;
  for (const auto& [value, trial] : found->second) out.push_back(trial);
  return out;
}

bool History::is_mixed() const {
  return std::any_of(ranked_.begin(), ranked_.end(), [&](std::uint32_t i) { return !trials_[i].is_whole; });
}

Coordinates History::coordinates(std::size_t trial) const {
  Coordinates out;
  for (const auto& column : columns_) out.push_back(column[trial]);
  return out;
}

}  // namespace dlrun::samplers
