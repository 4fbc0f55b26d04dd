// SPDX-License-Identifier: Apache-2.0
#include "statistics/boundaries.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <numbers>

#include "util/error.hpp"

namespace dlrun::statistics {

namespace {

const boost::math::normal kNormal;

double critical_at(const std::vector<int>& looks, std::size_t i, Boundary boundary, double critical) {
  return boundary == Boundary::pocock ? critical : critical * std::sqrt(double(looks.back()) / looks[i]);
}

double two_sided(double z) { return 2 * boost::math::cdf(boost::math::complement(kNormal, z)); }
double z_of(double p) { return boost::math::quantile(boost::math::complement(kNormal, p / 2)); }

struct Node {
  double at;
  double weight;
};

/// Gauss-Legendre over [-reach, reach], in panels no wider than the steps of the motion.
std::vector<Node> nodes_within(double reach, double step) {
  using Rule = boost::math::quadrature::gauss<double, 15>;
  const int panels = std::clamp(int(std::ceil(2 * reach / (1.5 * step))), 2, 200);
  const double half = reach / panels;
  std::vector<Node> nodes;
  for (int i = 0; i < panels; ++i) {
    const double centre = -reach + (2 * i + 1) * half;
    for (std::size_t j = 0; j < Rule::abscissa().size(); ++j) {
      const double offset = Rule::abscissa()[j] * half, weight = Rule::weights()[j] * half;
      nodes.push_back({centre + offset, weight});
      if (offset != 0) nodes.push_back({centre - offset, weight});
    }
  }
  return nodes;
}

double bell(double x, double variance) {
  return std::exp(-x * x / (2 * variance)) / std::sqrt(2 * std::numbers::pi * variance);
}

/// P(x + a normal step is within [-reach, reach]).
double stays(double x, double reach, double step) {
  return boost::math::cdf(kNormal, (reach - x) / step) - boost::math::cdf(kNormal, (-reach - x) / step);
}

}  // namespace

Boundary boundary_named(const std::string& name) {
  if (name == "obf") return Boundary::obrien_fleming;
  if (name == "pocock") return Boundary::pocock;
  throw Error(ErrorKind::usage, "there is no boundary '" + name + "'", "there are obf and pocock");
}

double crossing_probability(const std::vector<int>& looks, Boundary boundary, double critical) {
  if (!std::isfinite(critical)) return 0;
  const auto reach_at = [&](std::size_t i) {  // of the sum, whose variance is the number of replicates
    return critical_at(looks, i, boundary, critical) * std::sqrt(double(looks[i]));
  };
  std::vector<Node> inside = {{0, 1}};  // where the motion may be, with its density times the weight of the node
  double variance = looks[0];
  for (std::size_t i = 0; i + 1 < looks.size(); ++i) {
    const double next = looks[i + 1] - looks[i];
    std::vector<Node> later = nodes_within(reach_at(i), std::sqrt(std::min(variance, next)));
    for (Node& node : later) {
      double density = 0;
      for (const Node& from : inside) density += from.weight * bell(node.at - from.at, variance);
      node.weight *= density;
    }
    inside = std::move(later);
    variance = next;
  }
  double stayed = 0;
  for (const Node& from : inside)
    stayed += from.weight * stays(from.at, reach_at(looks.size() - 1), std::sqrt(variance));
  return std::clamp(1 - stayed, 0.0, 1.0);
}

std::vector<double> nominal_levels(const std::vector<int>& looks, Boundary boundary, double alpha) {
  // Between one look's level, and that of as many independent looks.
  double low = z_of(alpha), high = z_of(alpha / double(looks.size())) + 1e-6;
  if (looks.size() > 1) {
    std::uintmax_t most = 60;
    const auto beyond = [&](double critical) { return crossing_probability(looks, boundary, critical) - alpha; };
    const auto found =
        boost::math::tools::toms748_solve(beyond, low, high, boost::math::tools::eps_tolerance<double>(40), most);
    low = (found.first + found.second) / 2;
  }
  std::vector<double> levels;
  for (std::size_t i = 0; i < looks.size(); ++i) levels.push_back(two_sided(critical_at(looks, i, boundary, low)));
  return levels;
}

double sequential_p(const std::vector<double>& p, const std::vector<int>& looks, Boundary boundary) {
  if (looks.size() == 1 && p.size() == 1) return p[0];
  double furthest = 0;  // in units of the boundary's critical value
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] >= 1) continue;
    furthest = std::max(furthest, z_of(std::max(p[i], 1e-300)) / critical_at(looks, i, boundary, 1));
  }
  return furthest == 0 ? 1 : crossing_probability(looks, boundary, furthest);
}

}  // namespace dlrun::statistics
