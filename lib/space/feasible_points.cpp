// SPDX-License-Identifier: Apache-2.0
#include "space/feasible_points.hpp"

#include <algorithm>
#include <cmath>

#include "space/constraint.hpp"

namespace dlrun::space {

namespace {

/// Whether the sum can no longer hold, once the parameters before `next` have values.
bool is_out_of_reach(const Space& space, const Linear& sum, std::size_t next, const Values& values) {
  double least = 0, most = 0, scale = std::abs(sum.bound);
  for (const Term& term : sum.terms) {
    const std::size_t i = term.parameter;
    if (i >= next && !space.parameters()[i].when.empty()) return false;
    if (i < next && std::holds_alternative<std::monostate>(values[i])) return false;
    const std::int64_t last = *space.count(i) - 1;
    if (i >= next && !space.parameters()[i].choices.empty()) return false;  // in no order
    const double a = term.factor * number_of(space, i, i < next ? values[i] : space.value_at(i, 0));
    const double b = term.factor * number_of(space, i, i < next ? values[i] : space.value_at(i, last));
    least += std::min(a, b);
    most += std::max(a, b);
    scale = std::max({scale, std::abs(a), std::abs(b)});
  }
  const double rounding = 1e-9 * scale;
  return least > sum.bound + rounding || (sum.relation == Relation::equal && most < sum.bound - rounding);
}

}  // namespace

FeasiblePoints::FeasiblePoints(Space space) : space_(std::move(space)), points_(space_) {
  if (space_.constraints().empty() || !points_.size()) return;
  Values values(space_.size());
  std::int64_t steps = 0;
  is_listed_ = list(0, values, steps);
  if (!is_listed_) numbers_.clear();
  std::sort(numbers_.begin(), numbers_.end());
}

std::optional<std::int64_t> FeasiblePoints::size() const {
  if (space_.constraints().empty()) return points_.size();
  return is_listed_ ? std::optional(static_cast<std::int64_t>(numbers_.size())) : std::nullopt;
}

Values FeasiblePoints::at(std::int64_t number) const {
  return points_.at(is_listed_ ? numbers_[static_cast<std::size_t>(number)] : number);
}

std::optional<std::int64_t> FeasiblePoints::number_of(const Values& values) const {
  const std::int64_t number = points_.number_of(values);
  if (!is_listed_) return number;
  const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  if (found == numbers_.end() || *found != number) return std::nullopt;
  return found - numbers_.begin();
}

bool FeasiblePoints::is_dead(std::size_t parameter, const Values& values) const {
  for (const Constraint& constraint : space_.constraints()) {
    if (const auto* sum = std::get_if<Linear>(&constraint.rule)) {
      if (is_out_of_reach(space_, *sum, parameter + 1, values)) return true;
    } else if (!holds(space_, constraint, values)) {
      return true;  // a parameter without a value matches nothing
    }
  }
  return false;
}

/// False: there are too many.
bool FeasiblePoints::list(std::size_t parameter, Values& values, std::int64_t& steps) {
  if (parameter == space_.size()) {
    if (!space_.satisfies(values)) return true;
    numbers_.push_back(points_.number_of(values));
    return numbers_.size() <= kMostListed;
  }
  if (!space_.is_active(parameter, values)) return list(parameter + 1, values, steps);
  const std::int64_t count = *space_.count(parameter);
  bool is_whole = true;
  for (std::int64_t k = 0; k < count && is_whole; ++k) {
    if (++steps > kMostSteps) is_whole = false;
    values[parameter] = space_.value_at(parameter, k);
    if (is_whole && !is_dead(parameter, values)) is_whole = list(parameter + 1, values, steps);
  }
  values[parameter] = std::monostate();
  return is_whole;
}

}  // namespace dlrun::space
