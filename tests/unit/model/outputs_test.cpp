// SPDX-License-Identifier: Apache-2.0
// Several outputs: their layers, their widths, their faults.
#include "graphs.hpp"
#include "support/catch.hpp"

namespace outputs_test {

using namespace dlrun;
using namespace dlrun::model;

namespace {

using Lines = std::vector<std::string>;

const Interface kTwo{{{"x", {5}}}, 0, 1, {}, {}, {{"kind", {3}}, {"size", {0, 2}}, {"early", {3}}}};

/// Two heads over a trunk, and one in between.
std::string model_of(const std::string& outputs, const std::string& head = "classes") {
  return R"({"nodes":[{"name":"fc","op":"linear","out":6},{"name":"side","op":"linear","out":"classes"},
    {"name":"act","op":"relu","from":"fc"},{"name":"head","op":"linear","out":")" +
         head + R"("},{"name":"sizes","op":"linear","out":"outputs","from":"act"}],"outputs":)" + outputs + "}";
}

constexpr const char* kAll = R"({"size":"sizes","kind":"head","early":{"from":"side","auxiliary":true}})";

}  // namespace

TEST_CASE("outputs are named layers, each as wide as its target", "[model][outputs]") {
  const Graph graph = build(parse_json(model_of(kAll), "model"), kTwo);
  REQUIRE(graph.outputs.size() == 3);
  CHECK(graph.outputs[0].name == "early");
  CHECK(graph.outputs[0].is_auxiliary);
  CHECK(graph.outputs[1].node == "head");
  CHECK(graph.find("head")->out == Shape{3});
  CHECK(graph.find("side")->out == Shape{3});
  CHECK(graph.find("sizes")->out == Shape{2});
}

TEST_CASE("a layer in a group can be an output", "[model][outputs]") {
  const Graph graph = build(parse_json(R"({"nodes":[{"name":"g","op":"group","body":[{"name":"a","op":"linear","out":3},
    {"name":"b","op":"linear","out":2}]}],"outputs":{"kind":"g.a","size":"g"}})",
                                       "model"),
                            kTwo);
  CHECK(graph.outputs[0].node == "g.a");
  CHECK(graph.outputs[1].node == "g.b");
}

TEST_CASE("what outputs name is part of the hash; one without a name has none", "[model][outputs]") {
  const auto hash = [](const std::string& outputs) {
    return structural_hash(build(parse_json(model_of(outputs), "model"), kTwo));
  };
  CHECK(hash(kAll) ==
        hash(R"({"kind":"head","early":{"from":"side","target":"kind","auxiliary":true},"size":"sizes"})"));
  CHECK(hash(kAll) != hash(R"({"kind":"side","early":{"from":"head","auxiliary":true},"size":"sizes"})"));
  CHECK(hash(kAll) != hash(R"({"kind":"head","early":"side","size":"sizes"})"));
}

TEST_CASE("every fault of outputs has its place", "[model][outputs]") {
  const auto faults = [](const std::string& outputs) { return faults_of(model_of(outputs), kTwo); };
  CHECK(faults("[]").front() == "outputs: 'outputs' must map names to layers (outputs: {species: head1, size: head2})");
  CHECK(faults(R"({"kind":"heat","size":"sizes","early":"side"})").front() ==
        "outputs.kind: there is no layer 'heat' (did you mean 'head'?)");
  CHECK(faults(R"({"kind":"x","size":"sizes","early":"side"})").front() ==
        "outputs.kind: 'x' is an input, not a layer (an output is what a layer gives)");
  CHECK(faults(R"({"kind":"head","size":"head","early":"side"})").front() ==
        "outputs.size: the outputs 'kind' and 'size' are of one layer, 'head' (give each output a layer of its own)");
  CHECK(faults(R"({"kind":{"auxiliary":true},"size":"sizes","early":"side"})").front() ==
        "outputs.kind: the output 'kind' needs 'from' (from: the layer that gives it)");
  CHECK(faults(R"({"kind":{"form":"head"},"size":"sizes","early":"side"})").front() ==
        "outputs.kind.form: an output has no 'form' (did you mean 'from'?)");
  CHECK(faults(R"({"a.b":"head","size":"sizes","early":"side"})").front() ==
        "outputs.a.b: an output cannot be named \"a.b\" (letters, digits, _ and -)");
  CHECK(faults(R"({"kind":{"from":"head","auxiliary":true}})").front() ==
        "outputs: all outputs are auxiliary, nothing would be measured ()");
}

TEST_CASE("a layer that nothing reads and no output names is a fault", "[model][outputs]") {
  CHECK(faults_of(R"({"nodes":[{"name":"a","op":"linear","out":3},{"name":"b","op":"linear","out":2}],
                      "outputs":{"kind":"a"}})",
                  kTwo) ==
        Lines{"nodes.1: nothing reads the output of 'b' (name it in the `from` of a later layer or among the "
              "`outputs`, or remove it)"});
}

TEST_CASE("an output must have the width of its target", "[model][outputs]") {
  CHECK(faults_of(R"({"nodes":[{"name":"a","op":"linear","out":4},{"name":"b","op":"linear","out":2}],
                      "outputs":{"kind":"a","size":"b"}})",
                  kTwo) ==
        Lines{"nodes.0: the model's output 'a' is [4], but the data has 3 classes (write `out: classes`)"});
}

TEST_CASE("classes of a layer that leads to no output are not known", "[model][outputs]") {
  CHECK(
      faults_of(R"({"nodes":[{"name":"a","op":"linear","out":3},{"name":"b","op":"linear","out":"classes"}],
                      "outputs":{"kind":"a"}})",
                kTwo)
          .front() ==
      "nodes.1.out: 'b': it leads to no output, so \"classes\" are not known (name it among the outputs, or write the "
      "number)");
}

TEST_CASE("an output that other layers read has the width of its own target", "[model][outputs]") {
  const Graph graph = build(parse_json(R"({"nodes":[{"name":"a","op":"linear","out":"classes"},
    {"name":"b","op":"linear","out":"targets"}],"outputs":{"kind":"a","size":"b"}})",
                                       "model"),
                            kTwo);
  CHECK(graph.find("a")->out == Shape{3});
  CHECK(graph.find("b")->out == Shape{2});
}

TEST_CASE("classes of a layer that leads to outputs of different targets are of none", "[model][outputs]") {
  CHECK(faults_of(R"({"nodes":[{"name":"fc","op":"linear","out":"classes"},{"name":"a","op":"linear","out":3},
                      {"name":"b","op":"linear","out":2,"from":"fc"}],"outputs":{"kind":"a","size":"b"}})",
                  kTwo)
            .front() ==
        "nodes.0.out: 'fc': it leads to the outputs 'kind' and 'size', whose targets differ (write the number)");
}

}  // namespace outputs_test
