// SPDX-License-Identifier: Apache-2.0
#include "spec/normal.hpp"
#include "unit/spec/study_file.hpp"

namespace placement_checks_test {

using namespace dlrun;
using namespace dlrun::spec;

namespace {

const std::string kTwo = "resources={devices: 2, device: cpu}";
const std::string kFixed = "space.width=null";

}  // namespace

TEST_CASE("a placement needs devices, and devices need a placement", "[spec][placement]") {
  const StudyFile file(kTrees);
  CHECK(file.errors({kTwo, "trial.placement=auto"}).empty());
  CHECK_THAT(file.errors({"trial.placement=auto"}), Contains("there is one device, which computes all"));
  CHECK_THAT(file.errors({kTwo}), Contains("nothing is placed on several devices"));
  CHECK_THAT(file.errors({"resources={devices: 2, device: cuda}", "trial.placement=auto"}),
             Contains("the devices of a placed model are parts of the CPU"));
  CHECK_THAT(file.errors({kTwo, "trial.placement=auto", "trial.parallel={op: bsp, ranks: 2}"}),
             Contains("ranks of a gang compute whole models so far"));
}

TEST_CASE("an order is for placers that follow one", "[spec][placement]") {
  const StudyFile file(kTrees);
  CHECK(file.errors({kTwo, "trial.placement={op: auto, placer: greedy, order: bfs}"}).empty());
  CHECK_THAT(file.errors({kTwo, "trial.placement={op: auto, placer: heft, order: bfs}"}), Contains("follows no order"));
  CHECK(file.errors({kTwo, "trial.placement={op: auto, placer: greedy}",
                     "space.o={at: placement.order, choices: [bfs, topo]}"})
            .empty());
  CHECK_THAT(file.errors({kTwo, "trial.placement={op: auto, placer: etf}",
                          "space.o={at: placement.order, choices: [bfs, topo]}"}),
             Contains("follows no order"));
  CHECK_THAT(file.errors({kTwo, "trial.placement={op: auto, placer: gredy}"}), Contains("greedy"));
  CHECK_THAT(file.errors({kTwo, "trial.placement={op: auto, placer: sct}"}), Contains("cannot be 'sct'"));
}

// A number of tries beside a placer that makes its one or two placements was accepted, and did nothing.
TEST_CASE("a number of tries is for placers that search", "[spec][placement]") {
  const StudyFile file(kTrees);
  const auto placed = [&](const std::string& placer) {
    return file.errors({kTwo, kFixed, "trial.placement={op: auto, placer: " + placer + ", tries: 100}"});
  };
  const std::string searching = GENERATE("auto", "greedy", "anneal", "exact");
  CHECK(placed(searching).empty());
  const std::string simple = GENERATE("heft", "etf", "single", "round-robin", "split", "memory-fill");
  CHECK_THAT(placed(simple), Contains("tries changes nothing: the placer " + simple + " does not search"));
  CHECK(file.errors({kTwo, "trial.placement={op: auto, placer: heft, tries: 100}",
                     "space.p={at: placement.placer, choices: [greedy, heft]}"})
            .empty());
}

TEST_CASE("exact is not among placers of a model that it does not take", "[spec][placement]") {
  const StudyFile file(kTrees);
  const std::string placers = "space.p={at: placement.placer, choices: [greedy, exact]}",
                    begun = "trial.model={nodes: [";
  const std::string head = "{name: head, op: linear, out: classes, role: head}]}";
  std::string layers;
  for (int i = 0; i < 11; ++i) layers += "{op: relu, name: r" + std::to_string(i) + "}, ";
  CHECK_THAT(file.errors({kTwo, kFixed, "trial.placement=auto", placers, begun + layers + head}),
             Contains("exact places 12 nodes here at most, not 13"));
  CHECK(file.errors({kTwo, kFixed, "trial.placement=auto", placers, begun + layers.substr(layers.find("{", 1)) + head})
            .empty());
}

TEST_CASE("files of a placement are read, and are part of the study", "[spec][placement]") {
  const StudyFile file(kTrees);
  const std::string profile = R"({"format": "dlrun-graph-1", "name": "g",
      "node_columns": ["name", "op", "fwd_us", "bwd_us", "out_bytes", "param_bytes"],
      "nodes": [["x", "Input", 0, 0, 8, 0], ["fc1", "linear", 3, 4, 8, 8], ["act1", "relu", 1, 1, 8, 8]LAST],
      "edges": [[0, 1], [1, 2]]})";
  const auto with = [&](const std::string& last) {
    return std::string(profile).replace(profile.find("LAST"), 4, last);
  };
  file.write("whole.json", with(R"(, ["head", "linear", 2, 2, 8, 8])"));
  file.write("part.json", with(""));
  const auto set = [&](const std::string& begin, const std::string& name) {
    return "trial.placement={op: " + begin + (file.folder / name).string() + "}";
  };
  const std::string profile_of = "auto, profile: ", given_by = "file, path: ";
  const Json section = file.read({kTwo, kFixed, set(profile_of, "whole.json")}).json["trial"]["placement"];
  CHECK(section["seconds"]["fc1"] == Json{3e-6, 4e-6});
  CHECK(section["profile"] == (file.folder / "whole.json").string());
  CHECK_THAT(file.errors({kTwo, set(profile_of, "part.json")}), Contains("says nothing of the layer 'head'"));
  CHECK_THAT(file.errors({kTwo, set(profile_of, "none.json")}), Contains("none.json'"));

  file.write("p.json",
             R"({"format": "dlrun-placement-1", "placement": {"x": "0", "fc1": "1", "act1": "1", "head": "0"}})");
  file.write("far.json", R"({"format": "dlrun-placement-1", "placement": {"fc1": "1", "act1": "2", "head": "0"}})");
  file.write("odd.json", R"({"format": "dlrun-placement-1", "placement": {"fc1": "one"}})");
  CHECK(file.read({kTwo, set(given_by, "p.json")}).json["trial"]["placement"]["nodes"]["fc1"] == 1);
  file.write("turns.json", R"({"format": "dlrun-placement-1", "placement": {"fc1": "1", "act1": "1", "head": "0"},
      "forward": {"1": ["fc1", "act1"], "0": ["head"]}, "backward": {"0": ["head"], "1": ["act1", "fc1"]}})");
  file.write("late.json", R"({"format": "dlrun-placement-1", "placement": {"fc1": "1", "act1": "1", "head": "0"},
      "forward": {"0": ["head"], "1": ["act1", "fc1"]}, "backward": {"0": ["head"], "1": ["act1", "fc1"]}})");
  file.write("flat.json", R"({"format": "dlrun-placement-1", "placement": {"fc1": "1", "act1": "1", "head": "0"},
      "forward": {"0": ["head", 3]}})");
  CHECK(file.read({kTwo, set(given_by, "turns.json")}).json["trial"]["placement"]["backward"][1][0] == "act1");
  const auto identity = [&](const char* name) {
    return identity_of(file.read({kTwo, set(given_by, name)}).json)["trial"]["placement"];
  };
  CHECK(identity("turns.json").contains("forward"));
  CHECK_FALSE(identity("p.json").contains("forward"));  // as before there were orders
  CHECK_THAT(file.errors({kTwo, set(given_by, "late.json")}), Contains("devices wait for each other for ever"));
  CHECK_THAT(file.errors({kTwo, set(given_by, "flat.json")}), Contains("flat.json' cannot be read"));
  CHECK_THAT(file.errors({kTwo, set(given_by, "far.json")}), Contains("puts 'act1' on device 2"));
  CHECK_THAT(file.errors({kTwo, set(given_by, "odd.json")}), Contains("places on the device 'one'"));
  CHECK_THAT(file.errors({kTwo, set(given_by, "whole.json")}), Contains("is no placement"));
}

TEST_CASE("devices are for placed models", "[spec][placement]") {
  const StudyFile file(kBranin, "b");
  CHECK_THAT(file.errors({"resources.devices=2"}), Contains("devices is for placed models"));
}

}  // namespace placement_checks_test
