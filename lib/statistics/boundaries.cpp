// SPDX-License-Identifier: Apache-2.0
#include "statistics/boundaries.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

#include "statistics/crossing.hpp"
#include "statistics/normal.hpp"
#include "util/error.hpp"

namespace dlrun::statistics {

namespace {

double two_sided(double z) { return 2 * normal_below(-z); }
double z_of(double p) { return -normal_quantile(p / 2); }

/// The critical z of a look, relative to that of the last.
double shape(const std::vector<int>& looks, std::size_t i, Boundary boundary) {
  return boundary == Boundary::pocock ? 1 : std::sqrt(double(looks.back()) / looks[i]);
}

std::vector<Look> looks_with(const std::vector<int>& looks, Boundary boundary, double critical) {
  std::vector<Look> out;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    out.push_back({looks[i], two_sided(critical * shape(looks, i, boundary))});
  }
  return out;
}

}  // namespace

Boundary boundary_named(const std::string& name) {
  if (name == "obf") return Boundary::obrien_fleming;
  if (name == "pocock") return Boundary::pocock;
  throw Error(ErrorKind::usage, "there is no boundary '" + name + "'", "there are obf and pocock");
}

std::vector<double> nominal_levels(const std::vector<int>& looks, Boundary boundary, double alpha) {
  double critical = z_of(alpha);
  if (looks.size() > 1) {  // between one look's, and what is enough were they independent
    const auto beyond = [&](double z) { return crossing_probability(looks_with(looks, boundary, z)) - alpha; };
    const double most = 1.02 * z_of(alpha / double(looks.size()));
    const auto is_close = [](double a, double b) { return std::abs(a - b) < 1e-5; };
    std::uintmax_t steps = 50;
    const auto found = boost::math::tools::toms748_solve(beyond, 0.98 * critical, most, is_close, steps);
    critical = (found.first + found.second) / 2;
  }
  std::vector<double> levels;
  for (const Look& look : looks_with(looks, boundary, critical)) levels.push_back(look.level);
  return levels;
}

double sequential_p(const std::vector<double>& p, const std::vector<int>& looks, Boundary boundary) {
  if (looks.size() == 1 && p.size() == 1) return p[0];
  double furthest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] < 1) furthest = std::max(furthest, z_of(std::max(p[i], 1e-300)) / shape(looks, i, boundary));
  }
  return furthest == 0 ? 1 : crossing_probability(looks_with(looks, boundary, furthest));
}

}  // namespace dlrun::statistics
