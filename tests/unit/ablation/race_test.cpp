// SPDX-License-Identifier: Apache-2.0
// Races of variants: the trials that they stand for, and how many runs there are at most.
#include "ablation/race.hpp"

#include "support/catch.hpp"

namespace race_test {

using namespace dlrun;
using namespace dlrun::ablation;

TEST_CASE("a contender is named by its trial", "[ablation][race]") {
  CHECK(contender_id(17) == "trial-17");
  Section section;
  CHECK(contender_trial(section, "trial-17") == 17);
  CHECK(contender_trial(section, "trial-0") == 0);
  for (const char* none : {"trial-", "trial-x", "trial-1x", "trial--1", "tria-1", "1", ""}) {
    INFO(none);
    CHECK_FALSE(contender_trial(section, none));
  }
}

TEST_CASE("the baseline's trial is the one that the section is from", "[ablation][race]") {
  Section section;
  CHECK_FALSE(contender_trial(section, "baseline"));
  section.from = "digits/17";
  CHECK(contender_trial(section, "baseline") == 17);
  section.from = "a/b/3";
  CHECK(contender_trial(section, "baseline") == 3);
  section.from = "digits/x";
  CHECK_FALSE(contender_trial(section, "baseline"));
}

TEST_CASE("a race has as many runs as its budget, or as all variants and replicates", "[ablation][race]") {
  Plan plan;
  plan.variants.resize(3);
  plan.section.replicates.n = 5;
  CHECK(most_runs(plan) == 15);
  plan.section.race.budget = 14;
  CHECK(most_runs(plan) == 14);
  plan.section.race.budget = 16;
  CHECK(most_runs(plan) == 15);
}

}  // namespace race_test
