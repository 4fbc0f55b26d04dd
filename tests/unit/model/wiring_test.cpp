// SPDX-License-Identifier: Apache-2.0
// Names and wiring: groups, repeats, residuals, from.
#include "graphs.hpp"
#include "support/catch.hpp"

namespace wiring_test {

using namespace dlrun;
using namespace dlrun::model;

namespace {

using Names = std::vector<std::string>;

Names names_of(const Graph& graph) {
  Names names;
  for (const Node& node : graph.nodes) names.push_back(node.name);
  return names;
}

}  // namespace

TEST_CASE("a group puts its name before its layers'", "[model][wiring]") {
  const Graph graph = part_of(R"([{"name":"stem","op":"group","tags":"early","body":[
      {"name":"conv","op":"conv2d","out":8,"k":3},{"name":"act","op":"relu","tags":["act"]}]},{"name":"f","op":"flatten"}])");
  CHECK(names_of(graph) == Names{"stem.conv", "stem.act", "f"});
  CHECK(graph.find("f")->inputs == Names{"stem.act"});
  CHECK(graph.find("stem.act")->tags == Names{"early", "act"});
  CHECK(graph.find("stem.act")->path == "nodes.0.body.1");
}

TEST_CASE("a repeat numbers its copies, each with weights of its own", "[model][wiring]") {
  const Graph graph = part_of(R"([{"name":"blocks","op":"group","repeat":3,"body":[
      {"name":"fc","op":"linear","out":7},{"op":"relu"}]}])",
                              input_of({7}));
  CHECK(names_of(graph) ==
        Names{"blocks.0.fc", "blocks.0.relu1", "blocks.1.fc", "blocks.1.relu1", "blocks.2.fc", "blocks.2.relu1"});
  CHECK(graph.find("blocks.1.fc")->inputs == Names{"blocks.0.relu1"});
  CHECK(graph.outputs.front().node == "blocks.2.relu1");
  CHECK(graph.parameters() == 3 * 56);
}

TEST_CASE("a repeat of one still has its number, so that a search over it keeps names", "[model][wiring]") {
  CHECK(part_of(R"([{"name":"b","op":"group","repeat":1,"body":[{"name":"fc","op":"linear","out":7}]}])", input_of({7}))
            .outputs.front()
            .node == "b.0.fc");
}

TEST_CASE("a residual is a sum under its own name", "[model][wiring]") {
  const std::string body = R"("body":[{"name":"conv","op":"conv2d","out":1,"k":3,"pad":1}])";
  SECTION("identity: the input itself") {
    const Graph graph = part_of(R"([{"name":"r","op":"residual",)" + body + "}]");
    CHECK(names_of(graph) == Names{"r.body.conv", "r"});
    CHECK(graph.find("r")->op == "add");
    CHECK(graph.find("r")->inputs == Names{"r.body.conv", "x"});
  }
  SECTION("none: the body alone, and the name still leads to it") {
    const Graph graph =
        part_of(R"([{"name":"r","op":"residual","shortcut":"none",)" + body + R"(},{"op":"relu","from":"r"}])");
    CHECK(names_of(graph) == Names{"r.body.conv", "relu1"});
    CHECK(graph.find("relu1")->inputs == Names{"r.body.conv"});
  }
  SECTION("a list of layers") {
    const Graph graph =
        part_of(R"([{"name":"r","op":"residual","shortcut":[{"name":"bn","op":"batchnorm"}],)" + body + "}]");
    CHECK(names_of(graph) == Names{"r.body.conv", "r.shortcut.bn", "r"});
    CHECK(graph.find("r.shortcut.bn")->inputs == Names{"x"});
  }
}

TEST_CASE("a projection fits the input to the body", "[model][wiring]") {
  SECTION("channels and stride of an image") {
    const Graph graph = part_of(R"([{"name":"r","op":"residual","shortcut":"projection","body":[
        {"op":"conv2d","out":16,"k":3,"pad":1,"stride":2},{"op":"batchnorm"}]}])",
                                input_of({8, 15, 14}));
    const Node& projection = *graph.find("r.shortcut");
    CHECK(projection.op == "conv2d");
    CHECK(projection.attributes["k"] == Json({1, 1}));
    CHECK(projection.attributes["stride"] == Json({2, 2}));
    CHECK(projection.out == Shape{16, 8, 7});
    REQUIRE(projection.tensors.size() == 1);
    CHECK(projection.tensors[0].shape == Shape{16, 8, 1, 1});
  }
  SECTION("the width of a vector") {
    const Graph graph = part_of(
        R"([{"name":"r","op":"residual","shortcut":"projection","body":[{"op":"linear","out":9}]}])", input_of({7}));
    CHECK(graph.find("r.shortcut")->op == "linear");
    CHECK(graph.find("r.shortcut")->tensors[0].shape == Shape{9, 7});
  }
}

TEST_CASE("ResNet's basic block has the parameters of the paper", "[model][networks]") {
  const Graph graph = part_of(R"([{"name":"layer1","op":"group","repeat":2,"body":[
      {"name":"block","op":"residual","body":[
         {"name":"conv1","op":"conv2d","out":64,"k":3,"pad":1},{"name":"bn1","op":"batchnorm"},{"name":"relu","op":"relu"},
         {"name":"conv2","op":"conv2d","out":64,"k":3,"pad":1},{"name":"bn2","op":"batchnorm"}]},
      {"name":"relu","op":"relu"}]}])",
                              input_of({64, 56, 56}));
  CHECK(graph.parameters() == 2 * (2 * 64 * 64 * 9 + 2 * 128));  // torchvision's resnet18.layer1: 147,968
  CHECK(graph.find("layer1.1.block.body.conv1")->inputs == Names{"layer1.0.relu"});
}

TEST_CASE("from looks in the innermost list first, then outwards", "[model][wiring]") {
  const Graph graph = part_of(R"([{"name":"a","op":"relu"},{"name":"g","op":"group","body":[
      {"name":"a","op":"tanh"},{"name":"b","op":"add","from":["a","input"]},{"name":"c","op":"add","from":["b","x"]}]},
      {"name":"d","op":"add","from":["g","g.a"]}])");
  CHECK(graph.find("g.a")->inputs == Names{"a"});
  CHECK(graph.find("g.b")->inputs == Names{"g.a", "a"});
  CHECK(graph.find("g.c")->inputs == Names{"g.b", "x"});
  CHECK(graph.find("d")->inputs == Names{"g.c", "g.a"});
}

TEST_CASE("several inputs are read by their names", "[model][wiring]") {
  const Interface two{{{"x", {4}}, {"y", {3}}}, 0, 1};
  const Graph graph = graph_of(R"([{"name":"a","op":"concat","from":["x","y"]},{"op":"linear","out":1}])", two);
  CHECK(graph.find("a")->out == Shape{7});
  CHECK(faults_of(R"({"nodes":[{"op":"linear","out":1}]})", two).at(0) ==
        "nodes.0: the first layer must say which input it reads (from: x or y)");
}

TEST_CASE("without data the spec's own input counts", "[model][wiring]") {
  const Graph graph =
      build(parse_json(R"({"input":{"x":[1,8,8]},"nodes":[{"op":"flatten"},{"op":"linear","out":1}]})", "m"), {});
  CHECK(graph.nodes[0].out == Shape{64});
}

TEST_CASE("with data the spec's input is an assertion", "[model][wiring]") {
  const auto faults = [](const char* input) {
    return faults_of(std::string(R"({"input":)") + input +
                     R"(,"nodes":[{"op":"flatten"},{"op":"linear","out":"classes"}]})");
  };
  CHECK(faults(R"({"x":[1,28,28]})").empty());
  CHECK(faults(R"({"x":["auto"]})").empty());
  CHECK(
      faults(R"({"x":[784]})").at(0) ==
      "input.x: the data's input 'x' is [1, 28, 28], not [784] (to see it so, begin with {op: reshape, shape: [784]})");
  CHECK(faults(R"({"x":[3,32,32]})").at(0) == "input.x: the data's input 'x' is [1, 28, 28], not [3, 32, 32] ()");
  CHECK(faults(R"({"y":[1,28,28]})").at(0) == "input.y: the data has no input 'y' (it has 'x' [1, 28, 28])");
  CHECK(faults(R"({"x":"big"})").at(0) ==
        "input.x: \"big\" is no shape (one to four sizes without the batch, e.g. [1, 28, 28])");
  CHECK(faults("3").at(0) == "input: 'input' must map names to shapes (e.g. input: {x: [1, 28, 28]})");
}

TEST_CASE("a flat residual names its layers as PyTorch's blocks do", "[model][wiring]") {
  const Graph graph = part_of(R"([{"name":"layer1","op":"group","body":[{"name":"0","op":"residual","flat":true,
    "body":[{"name":"conv1","op":"conv2d","out":4,"k":1}],
    "shortcut":[{"name":"downsample.0","op":"conv2d","out":4,"k":1}]}]}])");
  CHECK(graph.nodes[0].name == "layer1.0.conv1");
  CHECK(graph.nodes[1].name == "layer1.0.downsample.0");
  CHECK(graph.nodes[2].name == "layer1.0");
  CHECK(graph.nodes[2].inputs == std::vector<std::string>{"layer1.0.conv1", "layer1.0.downsample.0"});
}

TEST_CASE("body and shortcut of a flat residual share one space of names", "[model][wiring]") {
  const std::vector<std::string> faults = faults_of(R"({"nodes":[{"name":"r","op":"residual","flat":true,
    "body":[{"name":"a","op":"relu"}],"shortcut":[{"name":"a","op":"relu"}]},
    {"op":"flatten"},{"op":"linear","out":"classes"}]})");
  REQUIRE(faults.size() == 1);
  CHECK(faults[0] == "nodes.0.shortcut.0.name: there are two layers 'r.a' (give one of them another name)");
}

}  // namespace wiring_test
