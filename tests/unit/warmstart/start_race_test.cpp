// SPDX-License-Identifier: Apache-2.0
// `policy: race`: its arms and their settings.
#include "warmstart/race.hpp"

#include "support/catch.hpp"
#include "warmstart/settings.hpp"

namespace warm_race_settings_test {

using namespace dlrun;
using namespace dlrun::warmstart;

TEST_CASE("a race is read from a section whose policy it is", "[warmstart][race]") {
  CHECK_FALSE(race_of(nullptr).has_value());
  CHECK_FALSE(race_of({{"policy", "best"}, {"race", {{"seeds", 3}}}}).has_value());
  const Race usual = race_of({{"policy", "race"}}).value();
  CHECK(usual.arms.empty());
  CHECK(usual.seeds == 2);
  const Race race =
      race_of({{"policy", "race"}, {"race", {{"arms", {"none", "best"}}, {"epochs", 3}, {"seeds", 4}}}}).value();
  CHECK(race.arms == std::vector<std::string>{"none", "best"});
  CHECK(race.arm_epochs(24) == 3);
  CHECK(race.seeds == 4);
}

TEST_CASE("an arm trains a quarter of the epochs, rounded up", "[warmstart][race]") {
  CHECK(Race().arm_epochs(24) == 6);
  CHECK(Race().arm_epochs(9) == 3);
  CHECK(Race().arm_epochs(1) == 1);
}

TEST_CASE("who goes on goes through the rest of its schedule where the run is shorter", "[warmstart][race]") {
  const Json rest = {{"policy", "best"}, {"optimizer", "carry"}, {"schedule", "continue"}};
  CHECK(settings_of(kFinish) == rest);
  CHECK(short_settings_of("resume") == rest);
  CHECK(settings_of("resume") == Json{{"policy", "resume"}});
  CHECK(short_settings_of("shrink_perturb") == Json{{"policy", "shrink_perturb"}});
}

TEST_CASE("a decision is part of the section", "[warmstart][race]") {
  Race over;
  over.study = "s-final-race";
  over.chose = "best";
  over.trained = 36;
  const Json section = decided({{"policy", "race"}, {"race", {{"seeds", 3}, {"decides", "s-final"}}}}, over);
  const Race read = race_of(section).value();
  CHECK(read.study == "s-final-race");
  CHECK(read.chose == "best");
  CHECK(read.trained == 36);
  CHECK(read.seeds == 3);
  CHECK(read.decides.empty());
}

TEST_CASE("fresh weights that are shrunk have no donor, and no epochs before the first", "[warmstart]") {
  Json section = {{"policy", "fresh_shrunk"}, {"lambda", 0.5}};
  fill_in(section);
  const WarmStart start = warm_start_of(section).value();
  CHECK(start.donors.empty());
  CHECK(start.lambda == 0.5);
  CHECK(start.buffers == "recalibrate");
  CHECK(start.origin() == 0);
  CHECK(start.fraction() == 0);
  CHECK_THROWS(warm_start_of({{"policy", "shrink_perturb"}}));
}

TEST_CASE("a remark is no part of what a trial is", "[warmstart]") {
  const Json section = {
      {"policy", "best"}, {"why", "chosen by a race"}, {"donors", {{{"sha256", "a"}, {"from", "x"}}}}};
  CHECK(without_places(section) == Json{{"policy", "best"}, {"donors", {{{"sha256", "a"}}}}});
}

}  // namespace warm_race_settings_test
