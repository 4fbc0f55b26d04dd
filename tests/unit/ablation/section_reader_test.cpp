// SPDX-License-Identifier: Apache-2.0
// The reader of `ablation:` alone: a checker of the test's own answers for studies and their data.
#include "ablation/section_reader.hpp"

#include <fmt/format.h>

#include "ablation/component_checks.hpp"
#include "ablation/plan_json.hpp"
#include "document/reader.hpp"
#include "support/catch.hpp"

namespace section_reader_test {

using namespace dlrun;
using namespace dlrun::ablation;

namespace {

Json study_of(const char* trial) {
  Json study = parse_json(R"({"study":"t","seed":1,"objective":{"metric":"value"},"space":[],"search":{},"limits":{}})",
                          "study");
  study["trial"] = parse_json(trial, "trial");
  return study;
}

constexpr const char* kTrial = R"({"kind":"function","curve":1,"noise":2})";

/// Takes every trial for sound, but for a negative `noise`.
class FakeChecker final : public Checker {
 public:
  Json check(const Node& root, Faults& faults) const override {
    Json study = study_of(kTrial);
    study["trial"] = document::read_any(*root.find("trial"), "trial", faults);
    if (study["trial"]["noise"] < 0) faults.at("trial.noise", "'trial.noise' must be a number of at least 0");
    return study;
  }
  Json trial_of(const Node&, Faults&) const override { return {{"kind", "function"}, {"curve", 5}, {"noise", 7}}; }
  Json concise(const Json& trial) const override { return trial; }
  Names kept_defaults(const Json&, const Json&, const Node&) const override { return {}; }
  Json identity(const Json& trial) const override { return trial; }
  Json init_beside(Json init, const document::Span&) const override { return init; }
  std::vector<std::string> metrics_of(const Json&) const override { return {"value", "seconds", "error"}; }
  space::Space space_of(const Json&, const Json&) const override {
    return space::Space(std::vector<space::Parameter>());
  }
  Json inputs_of(const Json&, std::uint64_t) const override { return nullptr; }
  std::map<std::string, double> majority_shares(const Json&) const override { return {}; }
};

struct Read {
  Json study = study_of(kTrial);
  Faults faults;
  std::optional<Plan> plan;

  explicit Read(const char* section) {
    const Node root = node_at(study), written = node_at(parse_json(section, "ablation"));
    add_ablation(study, root, written, {}, FakeChecker(), faults);
    plan = plan_of(study);
  }
  std::string fault() const { return first_fault(faults) == nullptr ? "" : first_fault(faults)->message; }
  Names ids() const {
    Names ids;
    for (const Variant& variant : plan.value().variants) ids.push_back(variant.id);
    return ids;
  }
};

}  // namespace

TEST_CASE("a section becomes a plan, and the study the search of its cells", "[ablation][section]") {
  const Read read(R"({"components":[{"id":"curve","set":{"curve":0}},{"id":"noise","set":{"noise":0}}],
                      "replicates":{"seeds":[4,9]}})");
  REQUIRE(read.fault().empty());
  CHECK(read.ids() == Names{"baseline", "curve", "noise"});
  CHECK(read.plan->variants[0].kind == "baseline");
  CHECK(read.plan->variants[1].kind == "set");
  CHECK(read.plan->variants[1].edits == Json{{"curve", 0}});
  CHECK(read.plan->section.analysis.metric == "value");
  CHECK(read.study["search"] == Json{{"sampler", "grid"}, {"lanes", 6}});
  REQUIRE(read.study["space"].size() == 2);
  CHECK(read.study["space"][0]["choices"] == Json{4, 9});
  CHECK(read.study["space"][1]["choices"] == Json{"baseline", "curve", "noise"});
}

TEST_CASE("a variant that equals another is listed and not trained", "[ablation][section]") {
  const Read read(R"({"components":[{"id":"a","set":{"curve":0}},{"id":"b","set":{"curve":0}}]})");
  CHECK(read.ids() == Names{"baseline", "a"});
  REQUIRE(read.plan->duplicates.size() == 1);
  CHECK(read.plan->duplicates[0].of == "a");
}

TEST_CASE("a component whose variant has a fault leaves no plan", "[ablation][section]") {
  const Read read(R"({"components":[{"id":"noise","set":{"noise":-1}}]})");
  CHECK(read.fault() == "E211: without 'noise': 'trial.noise' must be a number of at least 0");
  CHECK(!read.plan);
}

// All runs were trained, and the verdict was about a seed or about nothing.
TEST_CASE("no component changes how often variants run, and on which seeds", "[ablation][section]") {
  for (const char* own : {"replicates", "folds", "first_replicate"}) {
    const Read read((R"({"components":[{"id":"a","set":{")" + std::string(own) + R"(":3}}]})").c_str());
    CHECK(read.fault() ==
          "E212: '" + std::string(own) + "' is the same for all variants: the ablation repeats them itself");
  }
}

// Every run was trained, and nothing could be compared.
TEST_CASE("what is put back alone needs the core", "[ablation][section]") {
  const char* const components =
      R"({"components":[{"id":"a","set":{"curve":0}},{"id":"b","set":{"curve":3}}],"design":")";
  const auto fault_of = [&](const std::string& design) {
    return Read((components + design + R"("})").c_str()).fault();
  };
  CHECK(fault_of("add_one_in") ==
        "this design needs 'core': E212: 'a' and 'b' put different things in place of 'curve'");
  CHECK(fault_of("pairwise").empty());
}

TEST_CASE("a path from another configuration has its differences as components", "[ablation][section]") {
  const Read read(R"({"design":"path","path":{"from":"other.yaml","order":"given"}})");
  REQUIRE(read.fault().empty());
  CHECK(read.plan->steps->components == Names{"curve", "noise"});
  CHECK(read.ids() == Names{"baseline", "start", "start+curve"});
}

TEST_CASE("rounds judge by the objective", "[ablation][section]") {
  const auto read = [](const std::string& design) {
    return Read((R"({"components":[{"id":"a","set":{"curve":0}},{"id":"b","set":{"noise":0}}],"design":")" + design +
                 R"(","analysis":{"metric":"error"}})")
                    .c_str())
        .fault();
  };
  CHECK(read("elimination") == "rounds judge by the objective, which is 'value'");
  CHECK(read("loco").empty());
}

// A metric that did not tell its direction was minimised, and a component that helped was to be left out.
TEST_CASE("a metric that is analysed tells whether more of it is better", "[ablation][section]") {
  const auto fault_of = [](const char* metric) {
    return Read(fmt::format(R"({{"components":[{{"id":"a","set":{{"curve":0}}}}],"analysis":{{"metric":"{}"}}}})",
                            metric)
                    .c_str())
        .fault();
  };
  CHECK(fault_of("seconds") == "'seconds' does not tell whether more of it is better");
  CHECK(fault_of("error").empty());
  CHECK(fault_of("value").empty());
}

TEST_CASE("an objective has its own direction", "[ablation][section]") {
  const Json two = parse_json(
      R"({"objective":[{"metric":"value","direction":"minimize"},{"metric":"gain","direction":"maximize"}]})", "study");
  CHECK(objective_direction(two, "value") == "minimize");
  CHECK(objective_direction(two, "gain") == "maximize");
  CHECK(objective_direction(two, "reward").empty());
  CHECK(objective_direction({{"objective", two["objective"][0]}}, "value") == "minimize");
}

TEST_CASE("a path from another configuration has no components of its own", "[ablation][section]") {
  const Read read(R"({"design":"path","path":{"from":"other.yaml"},"components":[{"id":"curve","set":{"curve":0}}]})");
  CHECK(read.fault() == "what a path from a file changes is where the two differ");
  CHECK(!read.plan);
}

TEST_CASE("designs in steps have neither too few nor too many components", "[ablation][section]") {
  const auto refused = [](int count, const std::string& design) {
    std::string all;
    for (int i = 0; i < count; ++i)
      all += (i > 0 ? "," : "") + fmt::format(R"({{"id":"c{0}","set":{{"curve":{1}}}}})", i, i + 2);
    const Read read(fmt::format(R"({{"components":[{}],{}}})", all, design).c_str());
    return read.fault().empty() ? "" : read.fault() + "; " + first_fault(read.faults)->help;
  };
  const std::string elimination = R"("design":"elimination")", path = R"("design":"path")";
  const std::string given = R"("design":"path","path":{"order":"given"})";
  CHECK(refused(1, elimination) == "E250: with fewer than two components there is no way to choose; take design: loco");
  CHECK(refused(9, elimination) ==
        "E250: 9 components are too many for greedy steps, of at most 8; join some components, with as: group");
  CHECK(refused(9, path) ==
        "E250: 9 components are too many for greedy steps, of at most 8; "
        "write path: {order: given}, or join some components");
  CHECK(refused(31, given) == "E250: 31 components are too many for given steps, of at most 30; take design: loco");
  CHECK(refused(2, elimination).empty());
}

}  // namespace section_reader_test
