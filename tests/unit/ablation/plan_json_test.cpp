// SPDX-License-Identifier: Apache-2.0
// A plan and its normal form: each says as much as the other.
#include "ablation/plan_json.hpp"

#include "support/catch.hpp"

namespace plan_json_test {

using namespace dlrun;
using namespace dlrun::ablation;

namespace {

Json section(const char* text) { return parse_json(text, "ablation"); }

Plan plan_with(const char* text) {
  Plan plan{section_of(section(text))};
  plan.variants.push_back({.id = "baseline", .kind = "baseline", .hash = "a"});
  plan.variants.push_back({.id = "bn",
                           .kind = "drop",
                           .components = {"bn"},
                           .edits = {{"model", nullptr}},
                           .parameters = 12,
                           .operations = 40,
                           .notes = {"W302: one linear map"},
                           .held = {{"lr", "'bn' sets it"}},
                           .hash = "b"});
  return plan;
}

Json normal_form(const Plan& plan) {
  Json study = {{"derived", Json::object()}};
  write_plan(plan, study);
  return study;
}

}  // namespace

TEST_CASE("a section without keys has the defaults of a paired t test", "[ablation][plan]") {
  const Section plain = section_of(Json::object());
  CHECK(plain.design == "loco");
  CHECK(plain.replicates.numbers().size() == 10);
  CHECK(plain.analysis.test == "paired_t");
  CHECK(!plain.analysis.rope);
  CHECK(!plain.stopping);
  CHECK(!plain.retune);
  CHECK(plain.tunings() == 1);
}

TEST_CASE("values that could not be read have their defaults", "[ablation][plan]") {
  const Section read = section_of(section(R"({"replicates":{"n":null,"seeds":[7,null]},"analysis":null,
    "components":[null,{"id":null},{"id":"bn","drop":{"name":["bn"]},"on_shape":null}]})"));
  CHECK(read.replicates.numbers() == std::vector<std::int64_t>{7});
  CHECK(read.analysis.alpha == 0.05);
  REQUIRE(read.components.size() == 1);
  CHECK(read.components[0].kind == "drop");
  CHECK(read.components[0].on_shape == "reinfer");
}

TEST_CASE("a component is of the kind that was written, not of a table without values", "[ablation][plan]") {
  const Json json = section(R"({"id":"c","drop":{"name":null},"drop_edge":{"from":"a","to":"b"},"set":null})");
  CHECK(component_of(json).kind == "drop_edge");
  CHECK(component_of(section(R"({"id":"c","set":{"clip_norm":null}})")).kind == "set");
}

TEST_CASE("a plan read from its normal form has the same normal form", "[ablation][plan]") {
  Plan plan = plan_with(R"({"components":[{"id":"bn","drop":{"name":["bn"]},"expected":"helps"}],"design":"fractional",
    "replicates":{"n":2,"seeds":[4,9],"vary":["split"]},"stopping":{"looks":[2,4],"boundary":"pocock"},
    "retune":{"trials":3,"per":"replicate"},"start_from":"baseline","tested":"all","from":"digits/17",
    "analysis":{"metric":"val.loss","rope":0.5,"test":"wilcoxon"},"proposed_by":{"program":"ask","replies":[]}})");
  plan.duplicates.push_back({"c", "bn", {"c"}});
  plan.skipped.push_back({"d", "E215: no shape"});
  plan.fraction = NamedFraction{3, {{"a", "b"}}, {{{"a"}, {{"b"}, {"c", "d"}}}}};
  plan.steps = Steps{{"a", "b"}, true, "given"};
  plan.majority = {{"val", 0.25}};
  plan.maximizes_plugin = true;
  const Json study = normal_form(plan);
  const Plan again = plan_of(study).value();
  CHECK(normal_form(again) == study);
  CHECK(study["derived"]["ablation"] == parse_json(R"({"duplicates":[{"components":["c"],"id":"c","of":"bn"}],
    "fraction":{"aliases":[{"effect":["a"],"with":[["b"],["c","d"]]}],"resolution":3,"words":[["a","b"]]},
    "majority":{"val":0.25},"maximize":true,"skipped":[{"id":"d","reason":"E215: no shape"}],
    "steps":{"components":["a","b"],"order":"given","puts_back":true},
    "variants":[{"components":[],"edits":{},"hash":"a","id":"baseline","kind":"baseline","notes":[],"operations":null,
                 "parameters":null},
                {"components":["bn"],"edits":{"model":null},"hash":"b","held":{"lr":"'bn' sets it"},"id":"bn",
                 "kind":"drop","notes":["W302: one linear map"],"operations":40,"parameters":12}]})",
                                                   "plan"));
  CHECK(again.section.tunings() == 2);
  CHECK(again.variants[1].held.at("lr") == "'bn' sets it");
  CHECK(again.fraction->aliases[0].with[1] == Names{"c", "d"});
  CHECK(again.puts_back());
  CHECK(!again.has_rounds());
}

TEST_CASE("the normal form says nothing that the plan does not have", "[ablation][plan]") {
  const Json study = normal_form(plan_with(R"({"components":[],"path":{"order":"given"},"start_from":null})"));
  CHECK(study["derived"]["ablation"].size() == 1);
  CHECK(!study["derived"]["ablation"]["variants"][0].contains("held"));
  CHECK(study["derived"]["ablation"]["variants"][0]["parameters"].is_null());
  for (const char* key : {"path", "start_from", "stopping", "retune", "from", "groups", "proposed_by"})
    CHECK(!study["ablation"].contains(key));
  CHECK(study["ablation"]["analysis"]["rope"].is_null());
  CHECK(study["ablation"]["analysis"].contains("rope"));
}

TEST_CASE("a recorded study keeps the seeds of its tunings, which are none of its identity", "[ablation][plan]") {
  Plan plan = plan_with(R"({"components":[]})");
  const Json earlier = normal_form(plan);
  plan.has_own_seeds = true;
  const Json now = normal_form(plan);
  CHECK(plan_of(now)->has_own_seeds);
  Json resumed = now, begun = earlier;
  keep_seeds(earlier, resumed);
  CHECK(resumed == earlier);
  keep_seeds(now, begun);
  CHECK(begun == now);
  Json identity = now;
  strip_plan(identity, [](Json&) {});
  CHECK(identity == earlier);
}

TEST_CASE("a study without variants is no ablation", "[ablation][plan]") {
  CHECK(!plan_of(Json{{"derived", {{"data", 1}}}}));
  CHECK(!plan_of(Json::object()));
}

}  // namespace plan_json_test
