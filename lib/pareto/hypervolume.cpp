// SPDX-License-Identifier: Apache-2.0
#include "pareto/hypervolume.hpp"

#include <algorithm>
#include <limits>

namespace dlrun::pareto {

namespace {

double volume(std::vector<Point> points, const Point& reference);

bool is_inside(const Point& point, const Point& reference) {
  for (std::size_t m = 0; m < point.size(); ++m) {
    if (!(point[m] < reference[m])) return false;
  }
  return true;
}

/// Points that no other one dominates; equal points count once.
std::vector<Point> without_dominated(std::vector<Point> points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::vector<Point> out;
  for (Point& point : points) {
    const bool is_dominated =
        std::any_of(out.begin(), out.end(), [&](const Point& other) { return dominates(other, point); });
    if (!is_dominated) out.push_back(std::move(point));
  }
  return out;
}

/// Area of points in a plane: by ascending first value every point adds a rectangle below the ones before.
double area(std::vector<Point> points, const Point& reference) {
  std::sort(points.begin(), points.end());
  double sum = 0;
  double ceiling = reference[1];
  for (const Point& point : points) {
    if (point[1] >= ceiling) continue;
    sum += (reference[0] - point[0]) * (ceiling - point[1]);
    ceiling = point[1];
  }
  return sum;
}

double box(const Point& point, const Point& reference) {
  double product = 1;
  for (std::size_t m = 0; m < point.size(); ++m) product *= reference[m] - point[m];
  return product;
}

/// Volume that `point` dominates and those behind it do not.
double exclusive(const std::vector<Point>& points, std::size_t at, const Point& reference) {
  std::vector<Point> limited(points.begin() + static_cast<std::ptrdiff_t>(at) + 1, points.end());
  for (Point& other : limited) {
    for (std::size_t m = 0; m < other.size(); ++m) other[m] = std::max(other[m], points[at][m]);
  }
  return box(points[at], reference) - volume(without_dominated(std::move(limited)), reference);
}

/// Volume of points inside that do not dominate one another.
double volume(std::vector<Point> points, const Point& reference) {
  if (points.empty()) return 0;
  if (reference.size() == 2) return area(std::move(points), reference);
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.back() > b.back(); });
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) sum += exclusive(points, i, reference);
  return sum;
}

}  // namespace

double hypervolume(std::vector<Point> points, const Point& reference) {
  std::erase_if(points, [&](const Point& point) { return !is_inside(point, reference); });
  if (points.empty() || reference.size() == 1) {
    return points.empty() ? 0 : reference[0] - (*std::min_element(points.begin(), points.end()))[0];
  }
  return volume(without_dominated(std::move(points)), reference);
}

std::vector<double> contributions(const std::vector<Point>& points, const Point& reference) {
  const double all = hypervolume(points, reference);
  std::vector<double> out;
  out.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<Point> others = points;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back(std::max(0.0, all - hypervolume(std::move(others), reference)));
  }
  return out;
}

std::vector<std::size_t> subset(const std::vector<Point>& points, const Point& reference, std::size_t count) {
  std::vector<std::size_t> chosen;
  std::vector<Point> set;
  std::vector<double> gains(points.size(), std::numeric_limits<double>::infinity());  // never less than the true gain
  double before = 0;
  while (chosen.size() < std::min(count, points.size())) {
    std::size_t best = points.size();
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (gains[i] < 0 || (best < points.size() && gains[i] <= gains[best])) continue;
      set.push_back(points[i]);
      gains[i] = std::max(0.0, hypervolume(set, reference) - before);  // a point's gain only shrinks as the set grows
      set.pop_back();
      if (best == points.size() || gains[i] > gains[best]) best = i;
    }
    before += gains[best];
    gains[best] = -1;  // taken
    set.push_back(points[best]);
    chosen.push_back(best);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Point beyond_worst(const std::vector<Point>& points) {
  Point worst = points.at(0);
  for (const Point& point : points) {
    for (std::size_t m = 0; m < point.size(); ++m) worst[m] = std::max(worst[m], point[m]);
  }
  for (double& w : worst) w = w == 0 ? 1e-12 : std::max(1.1 * w, 0.9 * w);
  return worst;
}

}  // namespace dlrun::pareto
