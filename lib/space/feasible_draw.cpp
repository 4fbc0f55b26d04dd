// SPDX-License-Identifier: Apache-2.0
#include "space/feasible_draw.hpp"

#include <algorithm>
#include <cmath>

#include "space/constraint.hpp"
#include "space/domain.hpp"
#include "util/arithmetic.hpp"
#include "util/error.hpp"

namespace dlrun::space {

namespace {

constexpr int kDraws = 32;   ///< draws before a point is moved
constexpr int kRounds = 10;  ///< rounds of a walk, each a step along every axis

Values uniform(const Space& space, RandomStream& random) {
  Values values(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) values[i] = space.from_unit(i, random.uniform());
  return values;
}

/// Values without those of parameters that are not active.
Values settled(const Space& space, Values values) {
  Values out(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (space.is_active(i, out)) out[i] = values[i];
  }
  return out;
}

bool is_continuous(const Space& space, std::size_t i, const Values& values) {
  return std::holds_alternative<double>(values[i]) && !space.count(i);
}

}  // namespace

Values uniform_point(const Space& space, RandomStream& random) { return settled(space, uniform(space, random)); }

FeasibleDraw::FeasibleDraw(const Space& space) : space_(space) {
  if (space.constraints().empty()) return;
  Question question = question_of(space.constraints());
  sums_ = question.sums;
  feasible_.emplace(space, std::move(question));
  some_ = feasible_->some(Values(space.size()));
  if (!some_) throw Error(ErrorKind::usage, "no point of the space keeps the constraints");
}

Values FeasibleDraw::draw(RandomStream& random) const {
  Values values;
  for (int i = 0; i < kDraws; ++i) {
    values = uniform(space_, random);
    Values point = settled(space_, values);
    if (allows(point)) return point;
  }
  auto point = moved(values, random);
  walk(*point, random);
  return *point;
}

std::optional<Values> FeasibleDraw::moved(const Values& values, RandomStream& random,
                                          const std::vector<bool>& fixed) const {
  Values wanted = uniform(space_, random);
  for (std::size_t i = 0; i < space_.size(); ++i) {
    if (!std::holds_alternative<std::monostate>(values[i])) wanted[i] = values[i];
  }
  if (is_free()) return settled(space_, wanted);
  auto point = feasible_->nearest(wanted, fixed);
  if (point || !fixed.empty()) return point;
  point = some_;  // too entangled to come near from there
  walk(*point, random);
  return point;
}

std::optional<Values> FeasibleDraw::completed(const Values& asked) const {
  if (!is_free()) return feasible_->some(asked);
  Values wanted = asked;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    if (std::holds_alternative<std::monostate>(wanted[i])) wanted[i] = space_.from_unit(i, 0.5);
  }
  return settled(space_, wanted);
}

void FeasibleDraw::walk(Values& values, RandomStream& random) const {
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < space_.size(); ++i) step_along(i, values, random);
    for (std::size_t i = 0; i < space_.size(); ++i) step_within_equalities(values, random);
  }
}

/// How far a direction can be followed before a sum or a bound ends it: the lowest and the highest multiple.
std::pair<double, double> FeasibleDraw::reach(const std::vector<double>& direction, const Values& values) const {
  double low = -1e300, high = 1e300;
  const auto cut = [&](double slope, double room) {  // slope * t <= room
    if (slope > 0) high = std::min(high, room / slope);
    if (slope < 0) low = std::max(low, room / slope);
  };
  for (std::size_t i = 0; i < direction.size(); ++i) {
    if (direction[i] == 0) continue;
    const double x = number_of(space_, i, values[i]);
    cut(direction[i], space_.parameters()[i].high - x);
    cut(-direction[i], x - space_.parameters()[i].low);
  }
  for (const Linear& sum : sums_) {
    double slope = 0, room = sum.bound, scale = 0;
    bool is_active = true;
    for (const Term& term : sum.terms) {
      is_active &= !std::holds_alternative<std::monostate>(values[term.parameter]);
      if (!is_active) break;
      slope += term.factor * direction[term.parameter];
      scale = std::max(scale, std::abs(term.factor * direction[term.parameter]));
      room -= term.factor * number_of(space_, term.parameter, values[term.parameter]);
    }
    if (!is_active || std::abs(slope) <= 1e-12 * scale) continue;
    if (sum.relation == Relation::equal) return {0, 0};
    cut(slope, std::max(room, 0.0));
  }
  return {std::min(low, 0.0), std::max(high, 0.0)};
}

/// A new value of one parameter by its measure, within what the sums allow.
void FeasibleDraw::step_along(std::size_t parameter, Values& values, RandomStream& random) const {
  const double unit = random.uniform();
  if (std::holds_alternative<std::monostate>(values[parameter])) return;
  Values there = values;
  if (has_choices(space_.parameters()[parameter])) {
    there[parameter] = space_.from_unit(parameter, unit);
  } else {
    std::vector<double> direction(space_.size());
    direction[parameter] = 1;
    const auto [low, high] = reach(direction, values);
    const double x = number_of(space_, parameter, values[parameter]);
    const Parameter& p = space_.parameters()[parameter];
    const auto unit_of = [&](double y) {
      y = std::clamp(y, p.low, p.high);
      if (p.log) return arithmetic::log(y / p.low) / std::max(arithmetic::log(p.high / p.low), 1e-300);
      return (y - p.low) / std::max(p.high - p.low, 1e-300);
    };
    const double first = unit_of(x + low), last = unit_of(x + high);
    there[parameter] = space_.from_unit(parameter, first + unit * (last - first));
  }
  for (std::size_t i = parameter + 1; i < space_.size(); ++i) {  // parameters that the choice adds or removes
    const bool is_set = !std::holds_alternative<std::monostate>(there[i]);
    const bool is_active = space_.is_active(i, there);
    if (is_set && !is_active) there[i] = std::monostate();
    if (!is_set && is_active) there[i] = space_.from_unit(i, random.uniform());
  }
  if (space_.satisfies(there)) values = std::move(there);
}

/// A random direction of the continuous parameters along which no equality changes.
void FeasibleDraw::step_within_equalities(Values& values, RandomStream& random) const {
  const auto is_equality = [](const Linear& sum) { return sum.relation == Relation::equal; };
  if (std::none_of(sums_.begin(), sums_.end(), is_equality)) return;
  std::vector<double> direction(space_.size());
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const double normal = random.normal();
    const Parameter& p = space_.parameters()[i];
    if (is_continuous(space_, i, values)) direction[i] = normal * (p.high - p.low);
  }
  std::vector<std::vector<double>> basis;  // orthonormal basis of the equalities, over the continuous parameters
  for (const Linear& sum : sums_) {
    if (sum.relation != Relation::equal) continue;
    std::vector<double> row(space_.size());
    for (const Term& term : sum.terms) {
      if (is_continuous(space_, term.parameter, values)) row[term.parameter] += term.factor;
    }
    const auto without = [](std::vector<double>& from, const std::vector<double>& axis) {
      double along = 0;
      for (std::size_t i = 0; i < axis.size(); ++i) along += from[i] * axis[i];
      for (std::size_t i = 0; i < axis.size(); ++i) from[i] -= along * axis[i];
    };
    for (const auto& axis : basis) without(row, axis);
    double length = 0;
    for (const double x : row) length += x * x;
    if (length < 1e-20) continue;
    for (double& x : row) x /= std::sqrt(length);
    without(direction, row);
    basis.push_back(std::move(row));
  }
  const double share = random.uniform(), chance = random.uniform();
  if (basis.empty()) return;
  const auto [low, high] = reach(direction, values);
  const double t = low + share * (high - low);
  Values there = values;
  double ratio = 1;  // on a log scale the measure is 1 / x
  for (std::size_t i = 0; i < space_.size(); ++i) {
    if (direction[i] == 0) continue;
    const Parameter& p = space_.parameters()[i];
    const double x = std::get<double>(values[i]);
    const double y = std::clamp(x + t * direction[i], p.low, p.high);
    if (p.log) ratio *= x / y;
    there[i] = y;
  }
  if (chance < ratio && space_.satisfies(there)) values = std::move(there);
}

}  // namespace dlrun::space
