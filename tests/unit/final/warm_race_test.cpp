// SPDX-License-Identifier: Apache-2.0
// The study that a race for a final training's start becomes.
#include "final/warm_race.hpp"

#include "unit/final/searched.hpp"
#include "warmstart/race.hpp"

namespace final_test {

using final::FinalWish;
using final::plan_warm_race;
using final::WarmRace;

namespace {

/// Trials 0 to 2 of a search whose schedule spans `horizon` epochs; trial 1 is the best.
void search(const std::filesystem::path& folder, int horizon, const Json& gang = nullptr) {
  storage::StudyRow row = search_row();
  if (!gang.is_null()) row.spec["trial"]["parallel"] = gang;
  row.spec["trial"]["horizon"] = horizon;
  auto store = storage::Store::create(folder, row, line());
  const double values[] = {0.5, 0.9, 0.7};
  for (int i = 0; i < 3; ++i) write_trial(*store, i, values[i], {artifact(folder, checkpoint(2, float(i)))});
  store->close();
}

/// On other data, so that no model is built.
FinalWish wish(const Json& race = Json::object()) {
  return {"search",
          {{"warm_start", {{"policy", "race"}, {"race", race}}},
           {"epochs", 8},
           {"seeds", 3},
           {"set", {{"data.path", "other.csv"}}}},
          "after"};
}

std::vector<std::string> names(const std::vector<final::WarmArm>& arms) {
  std::vector<std::string> out;
  for (const final::WarmArm& arm : arms) out.push_back(arm.name);
  return out;
}

const Json& start_of(const WarmRace& race, std::size_t component) {
  return race.study.at("ablation").at("components").at(component).at("set").at("warm_start");
}

}  // namespace

TEST_CASE("the plan takes fresh weights, resume where it is exact, and shrunken weights", "[final][race]") {
  const support::TempFolder folder;
  search(folder.path(), 8);
  const WarmRace race = plan_warm_race(folder.path(), wish());
  CHECK(race.name == "after-race");
  CHECK(names(race.arms) == std::vector<std::string>{"none", "resume", "shrink_perturb"});
  CHECK(race.left_out.empty());
  CHECK(race.epochs == 2);
  CHECK(race.most_epochs() == 12);
  CHECK(race.study.at("trial").at("epochs") == 2);
  CHECK_FALSE(race.study.at("trial").contains("warm_start"));
  CHECK_FALSE(race.study.at("trial").contains("replicates"));
  CHECK(race.study.at("ablation").at("design") == "race");
  CHECK(race.study.at("ablation").at("replicates").at("seeds") == Json{4, 5});  // the final training has 1 to 3
  CHECK(start_of(race, 0).at("schedule") == "continue");
  CHECK(start_of(race, 0).at("optimizer") == "carry");
  CHECK(start_of(race, 0).at("donors").at(0).at("trial") == 1);
  CHECK(start_of(race, 1).at("policy") == "shrink_perturb");
}

TEST_CASE("where resume is not exact the plan says so and takes the best weights", "[final][race]") {
  const support::TempFolder folder;
  search(folder.path(), 6);
  const WarmRace race = plan_warm_race(folder.path(), wish());
  CHECK(names(race.arms) == std::vector<std::string>{"none", "best", "shrink_perturb"});
  REQUIRE(names(race.left_out) == std::vector<std::string>{"resume"});
  CHECK(race.left_out[0].reason.starts_with("E406: 'resume' goes on with search/1, epoch 1, whose schedule spans 6"));
  CHECK_THROWS_AS(plan_warm_race(folder.path(), wish({{"arms", {"none", "resume"}}})), Error);
}

TEST_CASE("several ranks race without resume", "[final][race]") {
  const support::TempFolder folder;
  search(folder.path(), 8, {{"op", "bsp"}, {"ranks", 2}});
  const WarmRace race = plan_warm_race(folder.path(), wish());
  CHECK(names(race.arms) == std::vector<std::string>{"none", "best", "shrink_perturb"});
  REQUIRE(names(race.left_out) == std::vector<std::string>{"resume"});
  CHECK(race.left_out[0].reason == "several ranks cannot go on with a training");
}

TEST_CASE("arms that are named are the race, fresh weights first", "[final][race]") {
  const support::TempFolder folder;
  search(folder.path(), 8);
  const WarmRace race =
      plan_warm_race(folder.path(), wish({{"arms", {"finish", "none"}}, {"epochs", 3}, {"seeds", 5}}));
  CHECK(names(race.arms) == std::vector<std::string>{"none", "finish"});
  CHECK(race.most_epochs() == 30);
  CHECK_THROWS_AS(plan_warm_race(folder.path(), wish({{"epochs", 8}})), Error);
}

TEST_CASE("a search without checkpoints has no race", "[final][race]") {
  const support::TempFolder folder;
  auto store = storage::Store::create(folder.path(), search_row(), line());
  write_trial(*store, 0, 0.5, {artifact(folder.path(), checkpoint(2, 0), 1, "best")});
  store->close();
  CHECK_THROWS_WITH(plan_warm_race(folder.path(), wish()), "no trial of 'search' can give weights");
}

TEST_CASE("the schedule of an arm is the whole one, shorter", "[final][race]") {
  const support::TempFolder folder;
  storage::StudyRow row = search_row();
  row.spec["trial"]["horizon"] = 8;
  row.spec["trial"]["schedule"] = {{"op", "multi_step"}, {"milestones", {4, 6}}, {"gamma", 0.1}, {"warmup", 1.0}};
  auto store = storage::Store::create(folder.path(), row, line());
  write_trial(*store, 0, 0.9, {artifact(folder.path(), checkpoint(2, 1))});
  store->close();
  const Json trial = plan_warm_race(folder.path(), wish({{"epochs", 4}})).study.at("trial");
  CHECK(trial.at("schedule").at("milestones") == Json{2, 3});
  CHECK(trial.at("schedule").at("warmup") == 0.5);
  CHECK_FALSE(trial.contains("horizon"));
}

TEST_CASE("a race knows the final training that it decides", "[final][race]") {
  const support::TempFolder folder;
  search(folder.path(), 8);
  const WarmRace race = plan_warm_race(folder.path(), wish());
  const FinalWish found = final::wish_of(race.study).value();
  CHECK(found.study == "search");
  CHECK(found.name == "after");
  CHECK(found.final.at("seeds") == 3);
  const WarmRace again = plan_warm_race(folder.path(), found);
  CHECK(again.study.at("ablation") == race.study.at("ablation"));
  CHECK(again.study.at("trial") == race.study.at("trial"));
  CHECK_FALSE(final::wish_of(search_row().spec).has_value());
}

TEST_CASE("the winner's policy is that of the final training", "[final][race]") {
  const support::TempFolder folder;
  search(folder.path(), 8);
  const auto decided = [&](const std::string& arm) {
    warmstart::Race over;
    over.study = "after-race";
    over.chose = arm;
    over.trained = 10;
    Json final = wish().final;
    final["warm_start"] = warmstart::decided(final["warm_start"], over);
    return final;
  };
  const auto trial = [&](const std::string& arm) {
    return final::plan_final(folder.path(), "search", decided(arm), "after").study.at("trial");
  };
  CHECK(trial("resume").at("warm_start").at("policy") == "resume");
  CHECK(trial("resume").at("warm_start").at("why") == "chosen by the race after-race");
  CHECK(trial("finish").at("warm_start").at("schedule") == "continue");
  CHECK_FALSE(trial("none").contains("warm_start"));
  Json compared = decided("none");
  compared["compare"] = {"kaiming_longer", "fresh_shrunk"};
  const Json components =
      final::plan_final(folder.path(), "search", compared, "after").study.at("ablation").at("components");
  REQUIRE(components.size() == 2);
  CHECK(components[0].at("set").at("epochs") == 8 + 4);  // a third of the race's ten
  CHECK(components[1].at("set").at("warm_start") == Json{{"policy", "fresh_shrunk"}});
  const auto longer = [&](const std::string& arm) {
    Json beside = decided(arm);
    beside["compare"] = {"kaiming_longer"};
    return final::plan_final(folder.path(), "search", beside, "after")
        .study.at("ablation")
        .at("components")
        .at(1)
        .at("set")
        .at("epochs")
        .get<int>();
  };
  CHECK(longer("shrink_perturb") == 8 + 1 + 4);  // and the donor's epoch
  CHECK(longer("resume") == 8 + 4);              // trains seven of the eight itself
}

}  // namespace final_test
