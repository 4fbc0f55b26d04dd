// SPDX-License-Identifier: Apache-2.0
// The study that a final training becomes, and the facts of its plan.
#include "final/final_run.hpp"

#include "trial/artifacts.hpp"
#include "unit/final/searched.hpp"

namespace final_test {

using final::FinalRun;
using final::plan_final;

namespace {

/// Trials 0 to 2; trial 1 is the best. Each left its last checkpoint.
std::unique_ptr<storage::Store> write_search(const std::filesystem::path& folder) {
  auto store = storage::Store::create(folder, search_row(), line());
  const double values[] = {0.5, 0.9, 0.7};
  for (int i = 0; i < 3; ++i) write_trial(*store, i, values[i], {artifact(folder, checkpoint(2, float(i)))});
  return store;
}

/// Three trials of a program; trial 1 has the highest value of `metric`.
void write_rewards(const std::filesystem::path& folder, const std::string& metric) {
  storage::StudyRow row = search_row();
  row.spec["trial"] = {{"kind", "command"}, {"command", {"echo", "{lr}"}}, {"epochs", 1}, {"folder", "/tmp"}};
  row.spec["space"][0].erase("at");
  row.spec["objective"] = {{{"metric", "cost"}, {"direction", "minimize"}},
                           {{"metric", "gain"}, {"direction", "maximize"}}};
  auto store = storage::Store::create(folder, row, space::Space({{.name = "lr", .low = 0, .high = 1}}));
  write_file(folder / "left", "no tensors");
  const trial::Artifact left = trial::keep_artifact(folder / "artifacts", {folder / "left", "last", 1});
  const double values[] = {0.5, 0.9, 0.7};
  for (int i = 0; i < 3; ++i) write_trial(*store, i, values[i], {left}, metric);
  store->close();
}

/// A training on other data, so that no model is built.
Json other_data(const std::string& policy) {
  return {{"warm_start", {{"policy", policy}}}, {"epochs", 5}, {"set", {{"data.path", "other.csv"}}}};
}

}  // namespace

TEST_CASE("a final training is the best configuration, longer", "[final]") {
  const support::TempFolder folder;
  write_search(folder.path())->close();
  const FinalRun run =
      plan_final(folder.path(), "search", {{"warm_start", {{"policy", "none"}}}, {"epochs", 5}, {"seeds", 2}}, "after");
  CHECK(run.study.at("study") == "after");
  CHECK(run.study.at("trial").at("epochs") == 5);
  CHECK(run.study.at("trial").at("replicates") == 2);
  CHECK(run.study.at("trial").at("optimizer").at("lr") == 0.1);
  CHECK_FALSE(run.study.at("trial").contains("warm_start"));
  CHECK(run.study.at("final").at("of") == "search/1");
  CHECK_FALSE(run.is_compared);
  CHECK(run.plan.trial == 1);
  CHECK(run.plan.begins_fresh);
  CHECK_FALSE(run.plan.rivals.has_value());
}

TEST_CASE("a setting of the final training stands before the value that the search found", "[final]") {
  const support::TempFolder folder;
  write_search(folder.path())->close();
  Json final = {{"warm_start", {{"policy", "none"}}}};
  CHECK(plan_final(folder.path(), "search", final, "as-found").study.at("space").at(0).at("value") == 0.1);
  final["set"] = {{"optimizer.lr", 0.25}};
  const Json study = plan_final(folder.path(), "search", final, "other").study;
  CHECK(study.at("space").empty());
  CHECK(study.at("trial").at("optimizer").at("lr") == 0.25);
}

TEST_CASE("a final training names the donor that it begins with", "[final]") {
  const support::TempFolder folder;
  write_search(folder.path())->close();
  const FinalRun run = plan_final(folder.path(), "search", other_data("best"), "after");
  const Json& start = run.study.at("trial").at("warm_start");
  CHECK(start.at("policy") == "best");
  REQUIRE(start.at("donors").size() == 1);
  CHECK(start.at("donors")[0].at("trial") == 1);
  CHECK(start.at("donors")[0].at("sha256") == Sha256::hex_of(checkpoint(2, 1)));
  CHECK(run.plan.donors.size() == 1);
  CHECK(run.plan.optimizer == "reset");
  CHECK(run.plan.schedule == "restart");
  CHECK_FALSE(run.plan.goes_on);
}

TEST_CASE("the configuration that is asked for gives the weights before better ones", "[final]") {
  const support::TempFolder folder;
  write_search(folder.path())->close();
  Json final = other_data("best");
  final["trial"] = 2;
  const FinalRun run = plan_final(folder.path(), "search", final, "after");
  CHECK(run.plan.trial == 2);
  CHECK(run.plan.donors.front().trial == 2);
  CHECK_THROWS_AS(plan_final(
                      folder.path(), "search", [&] { return final["trial"] = 9, final; }(), "after"),
                  Error);
}

TEST_CASE("the trial that a plan takes is known before a race has decided", "[final]") {
  const support::TempFolder folder;
  write_search(folder.path())->close();
  CHECK(final::trial_after(folder.path(), "search", other_data("race")) == "search/1");
  Json final = other_data("best");
  final["trial"] = 2;
  CHECK(final::trial_after(folder.path(), "search", final) == "search/2");
}

// By its own donor's first replicate, its rung or a bound that was broken another trial may look better.
TEST_CASE("the best trial of the search is trained, whatever its checkpoint's rank", "[final]") {
  const support::TempFolder folder;
  auto store = write_search(folder.path());
  const auto pruned = trial::TrialState::pruned;
  settle(*store, {.trial = trial::TrialId(1), .state = pruned, .objective = 0.9, .steps = 1, .message = ""});
  const FinalRun run = plan_final(folder.path(), "search", other_data("best"), "after");
  CHECK(run.plan.trial == 2);
  CHECK(run.plan.donors.front().trial == 2);
  CHECK(plan_final(folder.path(), "search", other_data("none"), "after").plan.trial == 2);
  Json ranked = other_data("best");
  ranked["warm_start"]["from"] = {{"rank_by", "val.accuracy"}};
  CHECK(plan_final(folder.path(), "search", ranked, "after").plan.trial == 1);
}

TEST_CASE("programs are ranked the way in which their metric is better", "[final]") {
  const support::TempFolder folder;
  const auto best_by = [&](const std::string& metric) {
    write_rewards(folder.path(), metric);
    const Json final = {{"epochs", 5}, {"warm_start", {{"policy", "best"}, {"from", {{"rank_by", metric}}}}}};
    return plan_final(folder.path(), "search", final, "after").plan.trial;
  };
  SECTION("by an objective's direction") { CHECK(best_by("gain") == 1); }
  SECTION("as the name tells") { CHECK(best_by("reward") == 1); }
  SECTION("as the name of a loss tells") { CHECK(best_by("eval_loss") == 0); }
  SECTION("or not at all") { CHECK_THROWS_WITH(best_by("score"), Contains("does not tell whether more of it")); }
}

TEST_CASE("where the best trial left no checkpoint, the best donor is trained with its own weights", "[final]") {
  const support::TempFolder folder;
  auto store = write_search(folder.path());
  write_trial(*store, 3, 0.95, {});
  CHECK(plan_final(folder.path(), "search", other_data("best"), "after").plan.trial == 1);
  CHECK(plan_final(folder.path(), "search", other_data("none"), "after").plan.trial == 3);
}

// The study is written without the table, for all of it stands at its defaults.
TEST_CASE("final.set names places of sections that the search did not write", "[final]") {
  const support::TempFolder folder;
  storage::StudyRow row = search_row();
  row.spec["trial"]["swa"] = {{"start", nullptr}, {"every", 1}, {"lr", nullptr}};
  write_trial(*storage::Store::create(folder.path(), row, line()), 0, 0.5, {});
  Json final = other_data("none");
  final["set"]["swa.start"] = 0.5;
  const Json trial = plan_final(folder.path(), "search", final, "after").study.at("trial");
  CHECK(trial.at("swa") == Json{{"start", 0.5}});
  CHECK_FALSE(plan_final(folder.path(), "search", other_data("none"), "after").study.at("trial").contains("swa"));
}

// Parameters of a final training are constants, of which no constraint could exclude anything.
TEST_CASE("a final training has no constraints", "[final]") {
  const support::TempFolder folder;
  storage::StudyRow row = search_row();
  row.spec["constraints"] = {"lr <= 0.5", {{"forbid", {{"lr", 0.3}}}}};
  write_trial(*storage::Store::create(folder.path(), row, line()), 0, 0.5, {});
  CHECK_FALSE(plan_final(folder.path(), "search", other_data("none"), "after").study.contains("constraints"));
}

TEST_CASE("a comparison is an ablation of the warm start", "[final]") {
  const support::TempFolder folder;
  write_search(folder.path())->close();
  Json final = other_data("best");
  final["compare"] = {"kaiming", "kaiming_longer"};
  const FinalRun run = plan_final(folder.path(), "search", final, "after");
  CHECK(run.is_compared);
  const Json& components = run.study.at("ablation").at("components");
  REQUIRE(components.size() == 2);
  CHECK(components[0].at("id") == "best");
  CHECK(components[1].at("set").at("epochs") == 6);  // the donor's epoch more
  CHECK(run.plan.rivals == std::vector<std::string>{"best", "kaiming_longer"});
  CHECK_FALSE(run.study.contains("space"));
}

TEST_CASE("a program's final training keeps the parameters that its arguments name", "[final]") {
  const support::TempFolder folder;
  storage::StudyRow row = search_row();
  row.spec["trial"] = {{"kind", "command"}, {"command", {"echo", "{lr}"}}, {"epochs", 3}, {"folder", "/tmp"}};
  row.spec["space"][0].erase("at");
  row.spec["objective"]["at"] = "best";  // of which no program leaves a checkpoint
  const space::Space space({{.name = "lr", .low = 0, .high = 1}});
  auto store = storage::Store::create(folder.path(), row, space);
  write_file(folder.path() / "left", "no tensors");
  const trial::Artifact left = trial::keep_artifact(folder.path() / "artifacts", {folder.path() / "left", "last", 1});
  write_trial(*store, 0, 0.5, {left});
  write_trial(*store, 1, 0.9, {left});
  store->close();
  Json final = {{"epochs", 5}};
  const FinalRun run = plan_final(folder.path(), "search", final, "after");
  CHECK(run.plan.is_program);
  CHECK(run.plan.trial == 1);
  CHECK(run.study.at("trial").at("warm_start").at("donors").at(0).at("sha256") == left.sha256);
  CHECK(run.study.at("space").at(0).at("value") == 0.1);
  final["compare"] = {"kaiming"};
  CHECK(plan_final(folder.path(), "search", final, "after").study.contains("space"));
}

// The study's command names a parameter that no argument is written for; without the parameter the study was refused.
TEST_CASE("a program's final training keeps the parameters that are null", "[final]") {
  const support::TempFolder folder;
  storage::StudyRow row = search_row();
  row.spec["trial"] = {{"kind", "command"}, {"command", {"echo", "{none}"}}, {"epochs", 3}, {"timeout", nullptr}};
  row.spec["trial"]["params"] = {{"none", nullptr}};
  row.spec["space"][0].erase("at");
  const space::Space space({{.name = "lr", .low = 0, .high = 1}});
  write_trial(*storage::Store::create(folder.path(), row, space), 0, 0.5, {});
  const Json final = {{"epochs", 5}, {"warm_start", {{"policy", "none"}}}};
  const Json trial = plan_final(folder.path(), "search", final, "after").study.at("trial");
  CHECK(trial.at("params") == Json{{"none", nullptr}});
  CHECK_FALSE(trial.contains("timeout"));
}

TEST_CASE("a search without checkpoints gives no weights and says why", "[final]") {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), search_row(), line());
  write_trial(*store, 0, 0.5, {artifact(folder.path(), checkpoint(2, 0), 1, "best")});
  try {
    (void)plan_final(folder.path(), "search", other_data("best"), "after");
    FAIL("nothing was thrown");
  } catch (const Error& fault) {
    CHECK(std::string(fault.what()) == "no trial of 'search' can give weights");
    CHECK(fault.hint() == "search/0: no such checkpoint");
  }
}

}  // namespace final_test
