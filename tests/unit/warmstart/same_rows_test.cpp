// SPDX-License-Identifier: Apache-2.0
// Final trainings that would be measured on rows of their donors' training.
#include "warmstart/same_rows.hpp"

#include "support/catch.hpp"

namespace same_rows_test {

using namespace dlrun;
using warmstart::Division;
using warmstart::leak;

namespace {

Division divided(const Json& split = Json::object(), const Json& data = Json::object()) {
  Json section = {{"op", "csv"}, {"path", "a.csv"}, {"limit", nullptr}};
  section["split"] = {{"train", 0.6}, {"val", 0.2}, {"test", 0.2}, {"stratify", "auto"}, {"seed", nullptr}};
  section.update(data);
  section["split"].update(split);
  return {{{"data", section}}, 7};
}

Division folded(int folds) {
  Division out = divided({{"train", nullptr}, {"val", nullptr}});
  out.trial["folds"] = folds;
  return out;
}

}  // namespace

TEST_CASE("rows of another split are told by their place", "[warmstart][rows]") {
  const Division before = divided();
  CHECK(leak(before, before).empty());
  CHECK(leak(before, divided({{"seed", 8}})) == "data.split.seed");
  CHECK(leak(before, divided({{"seed", 7}})).empty());
  CHECK(leak(before, divided({{"stratify", false}})) == "data.split.stratify");
  CHECK(leak(before, divided({{"train", 0.5}, {"val", 0.3}})) == "data.split");
  CHECK(leak(before, divided(Json::object(), {{"limit", 100}})) == "data.limit");
  Division other = before;
  other.seed = 8;
  CHECK(leak(before, other) == "data.split.seed");
}

TEST_CASE("a donor's rows may be among more that are trained on", "[warmstart][rows]") {
  CHECK(leak(divided(), divided({{"train", 0.7}, {"val", 0.1}})).empty());
  const Json groups = {{"group", "g"}};
  CHECK(leak(divided(groups), divided({{"group", "g"}, {"train", 0.7}, {"val", 0.1}})) == "data.split");
}

TEST_CASE("other files are no matter of the split, unless a donor's file validates", "[warmstart][rows]") {
  CHECK(leak(divided(), divided({{"seed", 8}}, {{"path", "b.csv"}})).empty());
  CHECK(leak(divided(), divided(Json::object(), {{"path", "b.csv"}, {"val", "a.csv"}})) == "data.val");
  CHECK(leak(divided(Json::object(), {{"val", "v.csv"}}), divided()) == "data.val");
}

TEST_CASE("a column divides rows by its values", "[warmstart][rows]") {
  const Json parts = {{"column", "year"}, {"train", {2019, 2020}}, {"val", 2021}, {"test", nullptr}};
  Json other_seed = parts, moved = parts, more = parts;
  other_seed["seed"] = 8;
  moved.update({{"train", 2019}, {"val", 2020}});
  more["train"] = {2018, 2019, 2020};
  CHECK(leak(divided(parts), divided(other_seed)).empty());
  CHECK(leak(divided(parts), divided(more)).empty());
  CHECK(leak(divided(parts), divided(moved)) == "data.split.val");
  CHECK(leak(divided({{"column", "part"}}), divided({{"column", "role"}})) == "data.split.column");
}

TEST_CASE("classes order the rows, unless nothing is stratified", "[warmstart][rows]") {
  CHECK(leak(divided(Json::object(), {{"target", "y"}}), divided(Json::object(), {{"target", "z"}})) == "data.target");
  const Json plain = {{"stratify", false}};
  CHECK(leak(divided(plain, {{"target", "y"}}), divided(plain, {{"target", "z"}})).empty());
  CHECK(leak(divided({{"stratify", "auto"}}), divided({{"stratify", true}})).empty());
}

TEST_CASE("a seed matters where rows are drawn", "[warmstart][rows]") {
  const Json none = {{"train", nullptr}, {"val", nullptr}, {"test", nullptr}};
  Division other = divided(none, {{"val", "v.csv"}});
  other.seed = 8;
  CHECK(leak(divided(none, {{"val", "v.csv"}}), other).empty());
  CHECK(leak(divided(Json::object(), {{"op", "series"}}), divided({{"seed", 8}}, {{"op", "series"}})).empty());
}

TEST_CASE("folds are the same or others", "[warmstart][rows]") {
  CHECK(leak(folded(3), folded(3)).empty());
  CHECK(leak(folded(3), folded(5)) == "folds");
  CHECK(leak(folded(3), divided()) == "folds");
}

}  // namespace same_rows_test
