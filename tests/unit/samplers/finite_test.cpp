// SPDX-License-Identifier: Apache-2.0
// Samplers with a model in finite spaces: tried points are passed over, so that the model still chooses.
#include <fmt/format.h>

#include <numeric>

#include "samplers/sampler.hpp"
#include "support/catch.hpp"
#include "support/spaces.hpp"

namespace finite_test {

using namespace dlrun;
using namespace dlrun::samplers;
using space::Space;
using space::Values;

namespace {

/// Five parameters of five choices.
Space choices() {
  std::vector<space::Parameter> parameters;
  for (int i = 0; i < 5; ++i) parameters.push_back(support::categorical("c" + std::to_string(i), 5));
  return Space(std::move(parameters));
}

/// Sum of what each choice does by itself: 0 for the best, 1 to 4 for the others. The mean of all points is 10.
double separable(const Values& values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += (std::get<space::Choice>(values[i]).index + 2 * i + 3) % 5;
  return sum;
}

/// Objectives of a search, one trial after another. No reason says that a rival was better than the proposal: "ahead of
/// c0 1 (83 % of it)".
std::vector<double> objectives(const char* name, const Space& space, int trials, std::uint64_t seed) {
  const auto sampler = make_sampler(name, space, seed);
  std::vector<double> out;
  for (int i = 0; i < trials; ++i) {
    const Values values = *sampler->propose(i);
    const std::string reason = sampler->reason();
    INFO(reason);
    if (const auto at = reason.find(" ("); at != std::string::npos) CHECK(std::stod(reason.substr(at + 2)) <= 100);
    out.push_back(separable(values));
    sampler->on_start(trial::TrialId(i), values);
    sampler->on_result({trial::TrialId(i), values, out.back(), 1});
  }
  return out;
}

/// Mean objective of trials 20 to 59, over five seeds.
double mean_of(const char* name) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto all = objectives(name, choices(), 60, seed);
    sum += std::accumulate(all.begin() + 20, all.end(), 0.0) / 40;
  }
  return sum / 5;
}

}  // namespace

TEST_CASE("models choose in finite spaces, whose good points were tried", "[samplers][finite]") {
  CHECK(mean_of("random") == Approx(10).margin(0.7));
  // Measured: 4.1, 3.1, 2.8 and 3.1; the best 40 points have 2.3. A random point in place of each best one that was
  // tried gave tpe 6.5 and tpe_univariate 9.9.
  const std::pair<const char*, double> most[] = {{"tpe", 5.5}, {"tpe_univariate", 4.5}, {"gp", 4}, {"auto", 4.5}};
  for (const auto& [name, value] : most) {
    INFO(name);
    CHECK(mean_of(name) < value);
  }
}

TEST_CASE("gp chooses up to the last point of a small space", "[samplers][finite]") {
  const Space space({support::categorical("a", 5), support::categorical("b", 8)});
  const auto sampler = make_sampler("gp", space, 1);
  for (int i = 0; i < 40; ++i) {
    const Values values = *sampler->propose(i);
    INFO(sampler->reason());
    if (i >= 12) CHECK(sampler->reason().find("expected improvement") != std::string::npos);
    CHECK(sampler->reason().find("random one") == std::string::npos);
    sampler->on_start(trial::TrialId(i), values);
    sampler->on_result({trial::TrialId(i), values, separable(values), 1});
  }
}

}  // namespace finite_test
