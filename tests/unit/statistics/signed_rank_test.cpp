// SPDX-License-Identifier: Apache-2.0
#include "statistics/signed_rank.hpp"

#include "support/catch.hpp"

namespace signed_rank_test {

using namespace dlrun::statistics;

TEST_CASE("the signed-rank distribution is exact for few differences", "[statistics][wilcoxon]") {
  CHECK(signed_rank_p({1, 2, 3}) == Approx(1.0 / 8));   // all positive: one of 2^3
  CHECK(signed_rank_p({-1, 2, 3}) == Approx(2.0 / 8));  // W+ = 5: {5, 6}
  CHECK(signed_rank_p({-1, -2, -3}) == Approx(1.0));
  CHECK(signed_rank_p({5, 4, 3, 2, 1, -6}) == Approx(14.0 / 64));  // W+ = 15 of 21
  CHECK(signed_rank_p({0, 1, 2}) == Approx(1.0 / 4));              // a zero decides nothing
  CHECK(signed_rank_p({1, 1, 1, 1}) == Approx(1.0 / 16));          // ties
  std::vector<double> many;
  for (int i = 1; i <= 101; ++i) many.push_back(i % 3 == 0 ? -i : i);
  const double by_normal = signed_rank_p(many);
  many.pop_back();
  CHECK(by_normal == Approx(signed_rank_p(many)).epsilon(0.3));  // the exact count beside it
}

TEST_CASE("ties among many differences are counted, not approximated", "[statistics][wilcoxon]") {
  std::vector<double> differences(20, 1.0);
  CHECK(wilcoxon_p(differences) == Approx(2.0 / 1048576));
  differences.assign(4, 0.0);
  CHECK(wilcoxon_p(differences) == 1);
}

}  // namespace signed_rank_test
