// SPDX-License-Identifier: Apache-2.0
// Whole networks against numbers worked out by hand.
#include "graphs.hpp"
#include "support/catch.hpp"

namespace networks_test {

using namespace dlrun;
using namespace dlrun::model;

namespace {

const char* const kLenet = R"([
  {"name":"conv1","op":"conv2d","out":6,"k":5,"pad":2}, {"name":"act1","op":"relu"}, {"name":"pool1","op":"maxpool","k":2},
  {"name":"conv2","op":"conv2d","out":16,"k":5}, {"name":"act2","op":"relu"}, {"name":"pool2","op":"maxpool","k":2},
  {"name":"flat","op":"flatten"},
  {"name":"fc1","op":"linear","out":120}, {"name":"act3","op":"relu"},
  {"name":"fc2","op":"linear","out":84}, {"name":"act4","op":"relu"},
  {"name":"head","op":"linear","out":"classes","role":"head"}])";

}  // namespace

TEST_CASE("LeNet-5 on 28x28 has the 61,706 parameters of the textbook", "[model][networks]") {
  const Graph graph = graph_of(kLenet);
  CHECK(graph.parameters() == 61706);
  CHECK(graph.outputs.front().node == "head");
  CHECK(graph.find("pool2")->out == Shape{16, 5, 5});
  CHECK(graph.find("fc1")->in[0] == Shape{400});
  CHECK(graph.find("head")->out == Shape{10});
  CHECK(graph.find("head")->role == "head");
  CHECK(graph.find("conv2")->operations == 16 * 10 * 10 * 6 * 5 * 5);
}

TEST_CASE("the weights go by PyTorch's names and shapes", "[model][networks]") {
  const Graph graph = graph_of(kLenet);
  const Node& conv = *graph.find("conv2");
  REQUIRE(conv.tensors.size() == 2);
  CHECK(conv.tensors[0].name == "weight");
  CHECK(conv.tensors[0].shape == Shape{16, 6, 5, 5});
  CHECK(conv.tensors[1].name == "bias");
  CHECK(conv.tensors[1].shape == Shape{16});
  CHECK(graph.find("fc1")->tensors[0].shape == Shape{120, 400});
}

TEST_CASE("a table with three layers", "[model][networks]") {
  const Graph graph =
      graph_of(R"([{"op":"linear","out":16},{"op":"gelu"},{"op":"linear","out":"targets"}])", {{{"x", {7}}}, 0, 2});
  CHECK(graph.parameters() == 7 * 16 + 16 + 16 * 2 + 2);
  CHECK(graph.nodes[0].name == "linear1");
  CHECK(graph.nodes[2].out == Shape{2});
}

}  // namespace networks_test
