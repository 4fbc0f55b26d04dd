// SPDX-License-Identifier: Apache-2.0
// When a final training continues its donor's own training, and when that is refused before any run.
#include "dataset/schema_json.hpp"
#include "final/final_run.hpp"
#include "unit/final/searched.hpp"

namespace final_test {

using final::plan_final;

namespace {

/// A search whose schedule spans eight epochs, with all that a plan asks of its trial.
storage::StudyRow short_search() {
  storage::StudyRow row = search_row();
  dataset::Schema schema;
  schema.inputs = {{.shape = {3}}};
  schema.classes = 2;
  schema.val = 5;
  row.spec["derived"]["data"] = dataset::to_json(schema);
  Json& trial = row.spec["trial"];
  trial["horizon"] = 8;
  trial["data"]["split"] = {{"train", 0.7}, {"val", 0.2}, {"test", 0.1}};
  trial["model"] = parse_json(R"({"nodes": [{"name": "fc", "op": "linear", "out": 2}]})", "model");
  return row;
}

/// Weights of its model.
std::string trained() {
  return tensors::write_safetensors(
      {{"fc.weight", "F32", {2, 3}, std::string(24, '\0')}, {"fc.bias", "F32", {2}, std::string(8, '\0')}}, {});
}

/// Two trials, completed after their first epoch.
void write(const std::filesystem::path& folder, const storage::StudyRow& row) {
  auto store = storage::Store::create(folder, row, line());
  for (const int trial : {0, 1}) write_trial(*store, trial, 0.5 + trial * 0.4, {artifact(folder, trained())});
  store->close();
}

Json resuming(const Json& sets = Json::object()) { return {{"warm_start", {{"policy", "resume"}}}, {"set", sets}}; }

std::string policy(const std::filesystem::path& folder) {
  return plan_final(folder, "search", Json::object(), "after").plan.policy;
}

std::string refusal(const std::filesystem::path& folder, const Json& final) {
  try {
    (void)plan_final(folder, "search", final, "after");
  } catch (const Error& fault) {
    return fault.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the best trial goes on where the search followed the beginning", "[final][resume]") {
  const support::TempFolder folder;
  write(folder.path(), short_search());
  CHECK(policy(folder.path()) == "resume");
  CHECK(refusal(folder.path(), resuming()).empty());
}

// The checkpoint names these settings, so each run was refused.
TEST_CASE("resume is refused where the final training is another one", "[final][resume]") {
  const support::TempFolder folder;
  write(folder.path(), short_search());
  const auto [place, value] = GENERATE(table<std::string, Json>(
      {{"clip_norm", 1}, {"precision", "bf16"}, {"data.split.val", 0.1}, {"optimizer.lr", 0.5}}));
  const std::string section = place.substr(0, place.find('.'));
  CHECK_THAT(refusal(folder.path(), resuming({{place, value}})),
             Contains("E406") && Contains("whose '" + section + "' differs"));
  Json allowed = resuming({{place, value}});
  allowed["warm_start"]["allow_superset"] = true;
  CHECK(refusal(folder.path(), allowed).empty());
}

TEST_CASE("settings that decide no bits are no hindrance", "[final][resume]") {
  const support::TempFolder folder;
  storage::StudyRow row = short_search();
  row.spec["trial"]["log"] = {{"every", 0}};
  row.spec["trial"]["metrics"] = {"accuracy"};
  write(folder.path(), row);
  CHECK(refusal(folder.path(), resuming({{"log.every", 10}, {"metrics", {"accuracy", "f1"}}})).empty());
}

TEST_CASE("trials that began with other weights are not resumed", "[final][resume]") {
  const support::TempFolder folder;
  storage::StudyRow row = short_search();
  row.spec["trial"]["init"] = {{"from", "pretrained.safetensors"}, {"strict", true}, {"sha256", "ab"}};
  write(folder.path(), row);
  CHECK(policy(folder.path()) == "best");
  CHECK_THAT(refusal(folder.path(), resuming()), Contains("E406") && Contains("began with the weights of 'init'"));
}

// No epoch of it remains, so that each run ended without a value.
TEST_CASE("a trial that patience has ended is not resumed", "[final][resume]") {
  const support::TempFolder folder;
  storage::StudyRow row = short_search();
  row.spec["trial"]["stop"] = {{"patience", 0}, {"min_delta", 0.0}, {"metric", "val.loss"}};
  SECTION("if it is the one to be trained") {
    write(folder.path(), row);
    CHECK(policy(folder.path()) == "best");
    CHECK_THAT(refusal(folder.path(), resuming()), Contains("E406") && Contains("ended by its own patience"));
  }
  SECTION("but one that trained all its epochs is") {
    row.spec["trial"]["epochs"] = 1;
    write(folder.path(), row);
    CHECK(policy(folder.path()) == "resume");
  }
}

// All epochs at a rate of 0, without a word.
TEST_CASE("a donor that ended its schedule leaves no rest of it", "[final][resume]") {
  const support::TempFolder folder;
  storage::StudyRow row = short_search();
  row.spec["trial"]["schedule"] = {{"op", "cosine"}};
  const Json compared{{"compare", {"finish"}}, {"seeds", 3}, {"epochs", 8}};
  SECTION("if its own is the whole of it") {
    row.spec["trial"]["epochs"] = 1;
    row.spec["trial"].erase("horizon");
    write(folder.path(), row);
    CHECK_THAT(refusal(folder.path(), compared), Contains("'finish': the donor's schedule is over"));
  }
  SECTION("but one with a horizon does") {
    write(folder.path(), row);
    CHECK(refusal(folder.path(), compared).empty());
  }
}

TEST_CASE("the rest of a plateau's schedule is known to its own training alone", "[final][resume]") {
  const support::TempFolder folder;
  storage::StudyRow row = short_search();
  row.spec["trial"]["schedule"] = {{"op", "plateau"}};
  write(folder.path(), row);
  CHECK(policy(folder.path()) == "resume");
  CHECK_THAT(refusal(folder.path(), {{"compare", {"finish"}}, {"seeds", 3}}), Contains("cannot take up `plateau`"));
  Json other = resuming({{"clip_norm", 1}});
  other["warm_start"]["allow_superset"] = true;
  CHECK_THAT(refusal(folder.path(), other), Contains("cannot take up `plateau`"));
}

}  // namespace final_test
