// SPDX-License-Identifier: Apache-2.0
// CMA-ES beside the package cmaes on the same points (tests/golden/samplers/generate writes the file).
#include "samplers/cma_distribution.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"
#include "util/json.hpp"

namespace cma_golden_test {

using namespace dlrun;
using namespace dlrun::samplers;
using Eigen::VectorXd;

namespace {

VectorXd vector_of(const Json& list) {
  VectorXd out(Eigen::Index(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) out(Eigen::Index(i)) = list[i].get<double>();
  return out;
}

std::vector<CmaPoint> points_of(const Json& list) {
  std::vector<CmaPoint> points;
  for (const Json& point : list) points.push_back({vector_of(point)});
  return points;
}

}  // namespace

TEST_CASE("CMA-ES moves as the package cmaes does", "[samplers][cma][golden]") {
  const std::string file = DLRUN_SOURCE_DIR "/tests/golden/samplers/cmaes.json";
  for (const Json& theirs : parse_json(read_file(file), file)) {
    CAPTURE(theirs["mean"].dump());
    const int population = theirs["population"].get<int>();
    CmaDistribution ours(vector_of(theirs["mean"]), theirs["sigma"].get<double>(), population, population);
    for (const Json& generation : theirs["generations"]) {
      ours.update(points_of(generation["points"]));
      CHECK((ours.mean() - vector_of(generation["mean"])).norm() < 1e-9);
      CHECK(ours.sigma() == Approx(generation["sigma"].get<double>()).epsilon(1e-7));
    }
  }
}

}  // namespace cma_golden_test
