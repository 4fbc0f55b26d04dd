// SPDX-License-Identifier: Apache-2.0
// Settings that leave features out of the data: their exact places and values.
#include "ablation/features.hpp"

#include "ablation/refused.hpp"
#include "support/catch.hpp"

namespace features_test {

using namespace dlrun;
using ablation::Unit;

namespace {

Unit unit_of(const char* kind, const char* how, std::vector<std::string> features) {
  Unit unit{"unit", "ablation.components.0", {.kind = kind, .how = how}};
  unit.features = std::move(features);
  return unit;
}

Json sets_of(const char* data, const std::vector<Unit>& units) {
  std::vector<const Unit*> off;
  for (const Unit& unit : units) off.push_back(&unit);
  return ablation::without_features(parse_json(data, "data"), off);
}

Unit column(const char* how, std::vector<std::string> features) {
  return unit_of("drop_feature", how, std::move(features));
}

Unit channel(const char* how, std::vector<std::string> features) {
  return unit_of("drop_channel", how, std::move(features));
}

}  // namespace

TEST_CASE("columns are dropped, or taken from the list of features", "[ablation][features]") {
  CHECK(sets_of(R"({"op":"csv","drop":["id"],"features":"all"})", {column("remove", {"age"})}) ==
        Json{{"data.drop", {"id", "age"}}});
  CHECK(sets_of(R"({"op":"series","features":["heat","load",3]})", {column("remove", {"load", "3"})}) ==
        Json{{"data.features", {"heat"}}});
}

TEST_CASE("replacements of several components, and the data's own, come together", "[ablation][features]") {
  CHECK(sets_of(R"({"op":"csv"})", {column("mean", {"age"}), column("permute", {"sex"})}) ==
        Json{{"data.replace", {{"age", "mean"}, {"sex", "permute"}}}});
  CHECK(sets_of(R"({"op":"csv","replace":{"age":"permute","fare":"mean"}})", {column("mean", {"age"})}) ==
        Json{{"data.replace", {{"age", "mean"}, {"fare", "mean"}}}});
  CHECK(sets_of(R"({"op":"csv","drop":[],"replace":{"age":"permute"}})", {column("remove", {"age"})}) ==
        Json{{"data.drop", {"age"}}, {"data.replace", nullptr}});
}

TEST_CASE("channels that stay are counted anew where one goes", "[ablation][features]") {
  CHECK(sets_of(R"({"op":"cifar"})", {channel("remove", {"0"})}) == Json{{"data.channels", {1, 2}}});
  CHECK(sets_of(R"({"op":"cifar"})", {channel("mean", {"2"})}) == Json{{"data.replace", {{"2", "mean"}}}});
  CHECK(sets_of(R"({"op":"cifar"})", {channel("remove", {"0"}), channel("mean", {"2"})}) ==
        Json{{"data.channels", {1, 2}}, {"data.replace", {{"1", "mean"}}}});
  CHECK(sets_of(R"({"op":"image_folder","colour":"rgb","channels":[2,0],"replace":{"1":"permute"}})",
                {channel("remove", {"0"})}) == Json{{"data.channels", {2}}, {"data.replace", {{"0", "permute"}}}});
}

TEST_CASE("a channel to drop is among the inputs", "[ablation][features]") {
  const auto units_of = [](const char* data, const char* what, std::optional<std::string> as = {}) {
    Unit unit{"c", "ablation.components.0", {.kind = "drop_channel", .as = std::move(as)}};
    unit.component.what = parse_json(what, "what");
    std::string text;
    for (const Unit& one : feature_units(unit, parse_json(data, "data"))) {
      text += one.id + ":";
      for (const std::string& feature : one.features) text += " " + feature;
      text += ";";
    }
    return text;
  };
  CHECK(units_of(R"({"op":"cifar"})", "[2]") == "c: 2;");
  CHECK(units_of(R"({"op":"cifar"})", "[0,2]", "group") == "c: 0 2;");
  CHECK(units_of(R"({"op":"image_folder"})", "[0,2]", "each") == "c.0: 0;c.2: 2;");
  CHECK_THROWS_WITH(units_of(R"({"op":"cifar"})", "[3]"), "E201: channel 3 is not among the inputs");
  CHECK_THROWS_WITH(units_of(R"({"op":"image_folder","colour":"grey"})", "[1]"),
                    "E201: channel 1 is not among the inputs");
  CHECK(units_of(R"({"op":"image_folder","colour":"grey"})", "[0]") == "c: 0;");
  CHECK_THROWS_WITH(units_of(R"({"op":"cifar","channels":[2,0]})", "[1]"), "E201: channel 1 is not among the inputs");
  CHECK_THROWS_WITH(units_of(R"({"op":"cifar"})", "[0,1]"),
                    "E204: 2 channels: one variant without all, or one for each?");
  CHECK_THROWS_WITH(units_of(R"({"op":"idx"})", "[0]"),
                    "E201: only images (op: cifar, image_folder) have channels to drop");
}

TEST_CASE("a feature is left out in one way", "[ablation][features]") {
  CHECK_THROWS_WITH(sets_of(R"({"op":"csv"})", {column("mean", {"a"}), column("remove", {"a"})}),
                    "E212: 'a' cannot be left out in two ways, mean and remove");
  CHECK(sets_of(R"({"op":"csv"})", {column("mean", {"a"}), column("mean", {"a", "b"})}) ==
        Json{{"data.replace", {{"a", "mean"}, {"b", "mean"}}}});
}

}  // namespace features_test
