// SPDX-License-Identifier: Apache-2.0
#include "pareto/fronts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dlrun::pareto {

namespace {

using Places = std::vector<std::size_t>;

/// The smallest and the largest value of each objective.
struct Ranges {
  Point low, high;

  void widen(const Point& point) {
    if (low.empty()) low = high = point;
    for (std::size_t m = 0; m < point.size(); ++m) {
      low[m] = std::min(low[m], point[m]);
      high[m] = std::max(high[m], point[m]);
    }
  }
  /// |a - b| as a part of the range; 0 where all are equal.
  double apart(double a, double b, std::size_t objective) const {
    const double range = high[objective] - low[objective];
    return range > 0 ? (a > b ? a - b : b - a) / range : 0;
  }
};

/// Feasible ones by their values, then the others by violation; nothing is dominated by what comes later.
Places presorted(const std::vector<Score>& scores) {
  Places order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool is_feasible = scores[a].is_feasible();
    if (is_feasible != scores[b].is_feasible()) return is_feasible;
    return is_feasible ? scores[a].values < scores[b].values : scores[a].violation < scores[b].violation;
  });
  return order;
}

bool is_dominated(const Score& score, const Places& front, const std::vector<Score>& scores) {
  return std::any_of(front.rbegin(), front.rend(), [&](std::size_t i) { return dominates(scores[i], score); });
}

/// First front with no point that dominates `score`; by bisection, because no later front dominates it then either.
std::size_t front_for(const Score& score, const std::vector<Places>& fronts, const std::vector<Score>& scores) {
  std::size_t low = 0;
  std::size_t high = fronts.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (is_dominated(score, fronts[middle], scores))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

double squared_distance(const Point& a, const Point& b, const Ranges& ranges) {
  double sum = 0;
  for (std::size_t m = 0; m < a.size(); ++m) {
    const double d = ranges.apart(a[m], b[m], m);
    sum += d * d;
  }
  return sum;
}

std::vector<Places> fronts_of(const std::vector<Score>& scores) {
  std::vector<Places> fronts;
  for (const std::size_t i : presorted(scores)) {
    const std::size_t front = front_for(scores[i], fronts, scores);
    if (front == fronts.size()) fronts.emplace_back();
    fronts[front].push_back(i);
  }
  return fronts;
}

}  // namespace

std::vector<int> ranks_of(const std::vector<Score>& scores) {
  std::vector<int> ranks(scores.size());
  const auto fronts = fronts_of(scores);
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    for (const std::size_t i : fronts[f]) ranks[i] = static_cast<int>(f);
  }
  return ranks;
}

std::vector<std::size_t> front_of(const std::vector<Score>& scores) {
  const auto ranks = ranks_of(scores);
  Places front;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == 0) front.push_back(i);
  }
  return front;
}

std::vector<double> crowding_of(const std::vector<Score>& scores, const Places& front) {
  std::vector<double> distances(front.size(), 0);
  if (front.empty()) return distances;
  Ranges ranges;
  for (const std::size_t i : front) ranges.widen(scores[i].values);
  Places order(front.size());
  for (std::size_t m = 0; m < scores[front[0]].values.size(); ++m) {
    const auto value = [&](std::size_t k) { return scores[front[k]].values[m]; };
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
    distances[order.front()] = distances[order.back()] = std::numeric_limits<double>::infinity();
    for (std::size_t k = 1; k + 1 < order.size(); ++k) {
      distances[order[k]] += ranges.apart(value(order[k + 1]), value(order[k - 1]), m);
    }
  }
  return distances;
}

std::vector<std::size_t> spread_order(const std::vector<Point>& points) {
  Places order;
  if (points.empty()) return order;
  Ranges ranges;
  for (const Point& point : points) ranges.widen(point);
  std::vector<double> nearest(points.size(), std::numeric_limits<double>::infinity());
  std::size_t next = std::size_t(std::min_element(points.begin(), points.end()) - points.begin());
  while (order.size() < points.size()) {
    order.push_back(next);
    nearest[next] = -1;  // taken
    std::size_t farthest = next;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (nearest[i] < 0) continue;
      nearest[i] = std::min(nearest[i], squared_distance(points[i], points[next], ranges));
      if (nearest[farthest] < 0 || nearest[i] > nearest[farthest]) farthest = i;
    }
    next = farthest;
  }
  return order;
}

std::vector<std::size_t> order_of(const std::vector<Score>& scores) {
  Places order;
  for (const Places& front : fronts_of(scores)) {
    std::vector<Point> points;
    points.reserve(front.size());
    for (const std::size_t i : front) points.push_back(scores[i].values);
    for (const std::size_t k : spread_order(points)) order.push_back(front[k]);
  }
  return order;
}

}  // namespace dlrun::pareto
