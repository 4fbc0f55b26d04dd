// SPDX-License-Identifier: Apache-2.0
#include "ablation/power.hpp"

#include "support/catch.hpp"

namespace power_test {

using namespace dlrun::ablation;

TEST_CASE("signs need enough replicates for their smallest p", "[ablation][power]") {
  Design design{10, 10, 0.05, "sign_flip"};
  CHECK(least_replicates(design) == 9);  // 2 / 2^9 <= 0.05 / 10 < 2 / 2^8
  design.correction = "none";
  CHECK(least_replicates(design) == 6);
  design.test = "paired_t";
  CHECK(least_replicates(design) == 2);
}

TEST_CASE("power is that of the paired t test at the corrected level", "[ablation][power]") {
  // scipy.stats.nct: n = 10, d_z = 1 and 2, alpha 0.05 and 0.005
  const Power alone = power_of({10, 1});
  CHECK(alone.small == Approx(0.8030968).epsilon(1e-5));
  CHECK(*alone.replicates == 10);
  const Power ten = power_of({10, 10});
  CHECK(ten.small == Approx(0.3770630).epsilon(1e-5));
  CHECK(ten.large == Approx(0.9793920).epsilon(1e-5));
  CHECK(*ten.replicates > 10);
}

// By integrating the noncentral t over the deviation, shift 1 / sqrt(1/12 + 2/3); without the share 0.8829.
TEST_CASE("splits that share examples find less, however many replicates there are", "[ablation][power]") {
  const Power shared = power_of({12, 1, 0.05, "paired_t", "holm", 2.0 / 3});
  CHECK(shared.small == Approx(0.1842799).epsilon(1e-5));
  CHECK(shared.large == Approx(0.5580252).epsilon(1e-5));
  CHECK_FALSE(shared.replicates);
}

TEST_CASE("the least contribution that is found in four studies of five is that at the corrected level",
          "[ablation][power]") {
  // By integrating the noncentral t over the deviation, 100 examples: alpha 0.025 for two, 0.05 for one or uncorrected
  CHECK(least_contribution({10, 2}, 100) == Approx(0.312278).epsilon(1e-4));
  CHECK(least_contribution({10, 1}, 100) == Approx(0.282913).epsilon(1e-4));
  CHECK(least_contribution({10, 2, 0.05, "paired_t", "none"}, 100) == Approx(0.282913).epsilon(1e-4));
}

}  // namespace power_test
