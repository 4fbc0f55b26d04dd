// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp/search.hpp"

#include <algorithm>
#include <cmath>
#include <nlopt.hpp>

#include "samplers/draw.hpp"
#include "samplers/gp/log_ei.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::samplers::gp {

namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kStep = 0.1;  ///< deviation of a nearby point, in units
constexpr double kInside = 1 - 1e-9;
constexpr double kExcluded = -1e300;  ///< value of a point that was tried or that a constraint excludes

/// A point by the unit coordinates of all parameters, those that are not active too.
struct Point {
  std::vector<double> units;
  space::Values values;
  Coordinates coordinates;
  double log_ei = 0;
};

class Searcher {
 public:
  Searcher(const Untried& untried, const Process& process, RandomStream& random, const SearchOptions& options,
           const Bounds& bounds)
      : untried_(untried),
        space_(untried.space()),
        process_(process),
        random_(random),
        options_(options),
        bounds_(bounds),
        axes_(process.data().axes),
        best_(least_means(process, bounds)) {}

  std::vector<Point> look(const std::vector<space::Values>& best_trials) {
    std::vector<Point> points;
    for (int i = 0; i < options_.spread; ++i) points.push_back(anywhere());
    for (int i = 0; i < options_.nearby && !best_trials.empty(); ++i) {
      points.push_back(near(best_trials[static_cast<std::size_t>(i) % best_trials.size()]));
    }
    judge(points);
    std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.log_ei > b.log_ei; });
    return points;
  }

  /// The best, and others by chance in proportion to their expected improvement (Gumbel's trick): so climbs begin at
  /// several hills.
  std::vector<std::size_t> starts(const std::vector<Point>& points) {
    std::vector<std::pair<double, std::size_t>> keys;
    for (std::size_t i = 1; i < points.size(); ++i) {
      keys.emplace_back(points[i].log_ei - arithmetic::log(-arithmetic::log(random_.uniform() + 1e-300)), i);
    }
    std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::size_t> out = {0};
    for (std::size_t i = 0; i < keys.size() && out.size() < static_cast<std::size_t>(options_.starts); ++i) {
      out.push_back(keys[i].second);
    }
    return out;
  }

  Point climb(Point point) {
    for (int round = 0; round < options_.rounds; ++round) {
      const double before = point.log_ei;
      slide(point);
      const bool moved = step(point);
      if (!moved || point.log_ei - before < 1e-4) break;
    }
    return point;
  }

 private:
  void settle(Point& point) const {
    point.values = values_from(space_, point.units);
    point.coordinates = coordinates_of(space_, axes_, point.values);
  }

  Point anywhere() {
    Point point;
    for (std::size_t i = 0; i < space_.size(); ++i) point.units.push_back(random_.uniform());
    settle(point);
    if (!untried_.is_allowed(point.values)) {
      move_to(point, untried_.draw(random_));
      settle(point);
    }
    return point;
  }

  /// Settles a point, and moves it to where the constraints hold.
  void settle_within(Point& point) {
    settle(point);
    if (untried_.is_allowed(point.values)) return;
    move_to(point, untried_.moved(point.values, random_));
    settle(point);
  }

  /// Moves a point, where it is active, to these values.
  void move_to(Point& point, const space::Values& values) const {
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (!std::holds_alternative<std::monostate>(values[i])) point.units[i] = space_.to_unit(i, values[i]);
    }
  }

  /// Point near a trial: each axis is moved with a chance of a half, numbers by a normal step, choices to any.
  Point near(const space::Values& trial) {
    Point point = anywhere();
    for (std::size_t i = 0; i < space_.size(); ++i) {
      const bool is_active = !std::holds_alternative<std::monostate>(trial[i]);
      const bool is_moved = random_.uniform() < 0.5;
      const double step = kStep * random_.normal() * random_.uniform();
      if (!is_active) continue;
      const double here = space_.to_unit(i, trial[i]);
      const bool is_choice = space_.parameters()[i].type == space::Type::categorical;
      if (!is_moved)
        point.units[i] = here;
      else if (!is_choice)
        point.units[i] = std::clamp(here + step, 0.0, kInside);
    }
    settle_within(point);
    return point;
  }

  void judge(std::vector<Point>& points) const {
    std::vector<Coordinates> all;
    for (const Point& point : points) all.push_back(point.coordinates);
    Eigen::MatrixXd means;
    VectorXd variances;
    process_.at(all, means, variances);
    const VectorXd values = improves() ? log_ei(means, variances, best_) : VectorXd::Zero(variances.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i].log_ei = values[static_cast<Index>(i)];
      points[i].log_ei += log_feasibility(bounds_.limits, points[i].coordinates);
      if (!untried_.is_new(points[i].values)) points[i].log_ei = kExcluded;
    }
  }

  /// Is there something to improve on?
  bool improves() const { return bounds_.limits.empty() || !bounds_.feasible.empty(); }

  double judge(const Coordinates& point, VectorXd* slope) const {
    double value = 0;
    if (slope != nullptr) *slope = VectorXd::Zero(static_cast<Index>(axes_.size()));
    if (improves()) value = log_ei(process_.at(point, slope != nullptr), best_, slope);
    return value + log_feasibility(bounds_.limits, point, slope);
  }

  // ---- continuous axes ----
  struct Slope {
    Searcher& searcher;
    Coordinates coordinates;
    std::vector<std::size_t> axes;  ///< axes that move
  };

  static double evaluate(const std::vector<double>& x, std::vector<double>& gradient, void* data) {
    auto& slope = *static_cast<Slope*>(data);
    for (std::size_t i = 0; i < x.size(); ++i) slope.coordinates[slope.axes[i]] = x[i];
    VectorXd by_axis;
    const double value = slope.searcher.judge(slope.coordinates, &by_axis);
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = by_axis[static_cast<Index>(slope.axes[i])];
    return value;
  }

  void slide(Point& point) {
    Slope slope{*this, point.coordinates, {}};
    std::vector<double> x;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      if (axes_[a].count != 0 || std::isnan(point.coordinates[a])) continue;
      slope.axes.push_back(a);
      x.push_back(std::min(point.coordinates[a], kInside));
    }
    if (x.empty()) return;
    nlopt::opt ascent(nlopt::LD_LBFGS, static_cast<unsigned>(x.size()));
    ascent.set_max_objective(evaluate, &slope);
    ascent.set_lower_bounds(0);
    ascent.set_upper_bounds(kInside);
    ascent.set_maxeval(options_.evaluations);
    ascent.set_ftol_abs(1e-4);
    ascent.set_xtol_abs(1e-6);
    double most = 0;
    try {
      ascent.optimize(x, most);
    } catch (const std::runtime_error&) {  // rounding: x is the best so far
    }
    Point there = point;
    for (std::size_t i = 0; i < x.size(); ++i)
      there.units[axes_[slope.axes[i]].parameter] = std::clamp(x[i], 0.0, kInside);
    settle_within(there);
    take_if_better(point, std::move(there));
  }

  bool take_if_better(Point& point, Point there) const {
    settle(there);
    if (!untried_.is_new(there.values)) return false;
    there.log_ei = judge(there.coordinates, nullptr);
    if (!(there.log_ei > point.log_ei)) return false;
    point = std::move(there);
    return true;
  }

  // ---- discrete axes ----
  bool step(Point& point) const {
    bool moved = false;
    for (const Axis& axis : axes_) {
      if (axis.count == 0) continue;
      for (const std::int64_t k : rivals(axis, point)) {
        Point there = point;
        there.units[axis.parameter] = (static_cast<double>(k) + 0.5) / static_cast<double>(axis.count);
        moved |= take_if_better(point, std::move(there));
      }
    }
    return moved;
  }

  std::vector<std::int64_t> rivals(const Axis& axis, const Point& point) const {
    std::vector<std::int64_t> out;
    const space::Value& value = point.values[axis.parameter];
    if (std::holds_alternative<std::monostate>(value)) return out;
    const std::int64_t here = space_.index_of(axis.parameter, value);
    if (axis.is_categorical || axis.count <= options_.levels) {
      for (std::int64_t k = 0; k < std::min<std::int64_t>(axis.count, 256); ++k) {
        if (k != here) out.push_back(k);
      }
      return out;
    }
    for (std::int64_t by = 1; by < axis.count; by *= 2) {
      if (here - by >= 0) out.push_back(here - by);
      if (here + by < axis.count) out.push_back(here + by);
    }
    return out;
  }

  const Untried& untried_;
  const space::Space& space_;
  const Process& process_;
  RandomStream& random_;
  SearchOptions options_;
  const Bounds& bounds_;
  const std::vector<Axis>& axes_;
  VectorXd best_;
};

}  // namespace

VectorXd least_means(const Process& process, const Bounds& bounds) {
  const Eigen::MatrixXd means = process.own_means();
  const Index own = means.cols() - process.data().earlier;
  if (!bounds.limits.empty() && !bounds.feasible.empty())
    return means(Eigen::seqN(0, means.rows()), bounds.feasible).rowwise().minCoeff();
  return means.rightCols(own > 0 ? own : means.cols()).rowwise().minCoeff();
}

std::vector<Found> search(const Untried& untried, const Process& process, const std::vector<space::Values>& best_trials,
                          RandomStream& random, const SearchOptions& options, const Bounds& bounds) {
  Searcher searcher(untried, process, random, options, bounds);
  const std::vector<Point> points = searcher.look(best_trials);
  std::vector<Point> tops;
  for (const std::size_t start : searcher.starts(points)) tops.push_back(searcher.climb(points[start]));
  std::stable_sort(tops.begin(), tops.end(), [](const auto& a, const auto& b) { return a.log_ei > b.log_ei; });
  std::vector<Found> found;
  for (const auto* const some : {&std::as_const(tops), &points}) {
    for (const Point& point : *some) {
      if (untried.is_new(point.values)) found.push_back({point.values, point.log_ei});
    }
  }
  return found;
}

}  // namespace dlrun::samplers::gp
