// SPDX-License-Identifier: Apache-2.0
// The shape rule of every layer kind against values worked out by hand (and equal to PyTorch's formulas).
#include <tuple>

#include "graphs.hpp"
#include "support/catch.hpp"

namespace shapes_test {

using namespace dlrun;
using namespace dlrun::model;

namespace {

/// Attributes of one layer, the shape that enters, the one that leaves, its parameters and operations.
using Row = std::tuple<std::string, Shape, Shape, std::int64_t, std::int64_t>;

}  // namespace

TEST_CASE("each kind turns its input's shape into the right one", "[model][shapes]") {
  const auto [layer, in, out, parameters, operations] =
      GENERATE(table<std::string, Shape, Shape, std::int64_t, std::int64_t>({
          Row{R"("op":"linear","out":5)", {7}, {5}, 40, 35},
          Row{R"("op":"linear","out":5,"bias":false)", {7}, {5}, 35, 35},
          Row{R"("op":"linear","out":5)", {3, 7}, {3, 5}, 40, 105},
          Row{R"("op":"conv2d","out":4,"k":3)", {2, 8, 9}, {4, 6, 7}, 76, 3024},
          Row{R"("op":"conv2d","out":4,"k":[3,1])", {2, 8, 9}, {4, 6, 9}, 28, 1296},
          Row{R"("op":"conv2d","out":4,"k":3,"stride":2)", {2, 8, 9}, {4, 3, 4}, 76, 864},
          Row{R"("op":"conv2d","out":4,"k":3,"pad":1,"stride":2)", {2, 8, 9}, {4, 4, 5}, 76, 1440},
          Row{R"("op":"conv2d","out":4,"k":3,"pad":[1,0])", {2, 8, 9}, {4, 8, 7}, 76, 4032},
          Row{R"("op":"conv2d","out":4,"k":3,"pad":"same")", {2, 8, 9}, {4, 8, 9}, 76, 5184},
          Row{R"("op":"conv2d","out":4,"k":4,"pad":"same")", {2, 8, 9}, {4, 8, 9}, 132, 9216},
          Row{R"("op":"conv2d","out":4,"k":3,"pad":"valid")", {2, 8, 9}, {4, 6, 7}, 76, 3024},
          Row{R"("op":"conv2d","out":4,"k":3,"dilation":2)", {2, 8, 9}, {4, 4, 5}, 76, 1440},
          Row{R"("op":"conv2d","out":4,"k":3,"dilation":3,"pad":"same")", {2, 8, 9}, {4, 8, 9}, 76, 5184},
          Row{R"("op":"conv2d","out":4,"k":3,"groups":2)", {2, 8, 9}, {4, 6, 7}, 40, 1512},
          Row{R"("op":"conv2d","out":4,"k":1,"bias":false)", {2, 8, 9}, {4, 8, 9}, 8, 576},
          Row{R"("op":"batchnorm")", {6}, {6}, 12, 6},
          Row{R"("op":"batchnorm")", {6, 4, 4}, {6, 4, 4}, 12, 96},
          Row{R"("op":"batchnorm","affine":false)", {6, 4, 4}, {6, 4, 4}, 0, 96},
          Row{R"("op":"layernorm")", {6}, {6}, 12, 6},
          Row{R"("op":"layernorm")", {5, 6}, {5, 6}, 12, 30},
          Row{R"("op":"layernorm")", {6, 4, 4}, {6, 4, 4}, 192, 96},
          Row{R"("op":"layernorm","affine":false)", {6, 4, 4}, {6, 4, 4}, 0, 96},
          Row{R"("op":"maxpool","k":2)", {3, 7, 8}, {3, 3, 4}, 0, 144},
          Row{R"("op":"maxpool","k":3,"stride":2,"pad":1)", {3, 7, 8}, {3, 4, 4}, 0, 432},
          Row{R"("op":"maxpool","k":[2,3],"stride":[1,2])", {3, 7, 8}, {3, 6, 3}, 0, 324},
          Row{R"("op":"avgpool","k":2)", {3, 7, 8}, {3, 3, 4}, 0, 144},
          Row{R"("op":"adaptive_avgpool")", {3, 7, 8}, {3, 1, 1}, 0, 168},
          Row{R"("op":"adaptive_avgpool","out":[2,4])", {3, 7, 8}, {3, 2, 4}, 0, 168},
          Row{R"("op":"flatten")", {3, 7, 8}, {168}, 0, 0},
          Row{R"("op":"flatten")", {9}, {9}, 0, 0},
          Row{R"("op":"reshape","shape":[1,8,8])", {64}, {1, 8, 8}, 0, 0},
          Row{R"("op":"reshape","shape":[4,-1])", {64}, {4, 16}, 0, 0},
          Row{R"("op":"dropout","p":0.3)", {3, 7, 8}, {3, 7, 8}, 0, 168},
          Row{R"("op":"relu")", {3, 7, 8}, {3, 7, 8}, 0, 168},
          Row{R"("op":"identity")", {3, 7, 8}, {3, 7, 8}, 0, 0},
      }));
  CAPTURE(layer, in);
  const Graph graph = part_of("[{" + layer + "}]", input_of(in));
  CHECK(graph.nodes.at(0).out == out);
  CHECK(graph.parameters() == parameters);
  CHECK(graph.operations() == operations);
}

TEST_CASE("every activation keeps the shape and has nothing to learn", "[model][shapes]") {
  const std::string op =
      GENERATE("relu", "leaky_relu", "elu", "gelu", "silu", "sigmoid", "tanh", "softplus", "softmax", "identity");
  const Graph graph = part_of(R"([{"op":")" + op + R"("}])", input_of({4, 5, 6}));
  CHECK(graph.nodes[0].out == Shape{4, 5, 6});
  CHECK(graph.parameters() == 0);
}

TEST_CASE("layers of several inputs", "[model][shapes]") {
  const std::string two =
      R"([{"name":"a","op":"conv2d","out":4,"k":1},{"name":"b","op":"conv2d","out":4,"k":1,"from":"x"},)";
  SECTION("add keeps the shape") {
    const Graph graph = part_of(two + R"({"name":"s","op":"add","from":["a","b"]}])", input_of({3, 5, 5}));
    CHECK(graph.find("s")->out == Shape{4, 5, 5});
    CHECK(graph.find("s")->operations == 100);
  }
  SECTION("concat joins the channels") {
    const Graph graph = part_of(two + R"({"name":"s","op":"concat","from":["a","b","x"]}])", input_of({3, 5, 5}));
    CHECK(graph.find("s")->out == Shape{11, 5, 5});
  }
  SECTION("concat along another size") {
    const Graph graph = part_of(two + R"({"name":"s","op":"concat","dim":2,"from":["a","b"]}])", input_of({3, 5, 5}));
    CHECK(graph.find("s")->out == Shape{4, 5, 10});
  }
  SECTION("multiply stretches a gate of size 1") {
    const Graph graph =
        part_of(two + R"({"name":"g","op":"adaptive_avgpool"},{"name":"s","op":"multiply","from":["a","g"]}])",
                input_of({3, 5, 5}));
    CHECK(graph.find("s")->out == Shape{4, 5, 5});
  }
}

TEST_CASE("attributes come out in their normal form", "[model][shapes]") {
  SECTION("numbers become pairs, same becomes zeros") {
    const Node conv = part_of(R"([{"op":"conv2d","out":4,"k":4,"pad":"same"}])").nodes[0];
    CHECK(conv.attributes["k"] == Json({4, 4}));
    CHECK(conv.attributes["pad"] == Json({1, 1}));
    CHECK(conv.attributes["pad_end"] == Json({1, 1}));
    CHECK(conv.attributes["stride"] == Json({1, 1}));
    CHECK(conv.attributes["in"] == 1);
  }
  SECTION("a pool's stride is its window") {
    CHECK(part_of(R"([{"op":"maxpool","k":[2,3]}])").nodes[0].attributes["stride"] == Json({2, 3}));
  }
  SECTION("a bias before a norm is left out, unless asked for") {
    CHECK(part_of(R"([{"op":"conv2d","out":4,"k":3},{"op":"batchnorm"}])").nodes[0].attributes["bias"] == false);
    CHECK(part_of(R"([{"op":"flatten"},{"op":"linear","out":4},{"op":"layernorm"}])").nodes[1].attributes["bias"] ==
          false);
    CHECK(part_of(R"([{"op":"conv2d","out":4,"k":3},{"op":"relu"}])").nodes[0].attributes["bias"] == true);
    CHECK(part_of(R"([{"op":"conv2d","out":4,"k":3,"bias":true},{"op":"batchnorm"}])").nodes[0].attributes["bias"] ==
          true);
  }
  SECTION("a bias that something else reads too stays") {
    const Graph graph = part_of(R"([{"name":"c","op":"conv2d","out":4,"k":3},{"name":"n","op":"batchnorm"},
                                    {"op":"add","from":["c","n"]}])");
    CHECK(graph.find("c")->attributes["bias"] == true);
  }
  SECTION("classes and targets come from the data") {
    CHECK(part_of(R"([{"op":"flatten"},{"op":"linear","out":"classes"}])").nodes[1].out == Shape{10});
    CHECK(part_of(R"([{"op":"linear","out":"targets"}])", {{{"x", {5}}}, 0, 3}).nodes[0].out == Shape{3});
  }
  SECTION("a right assertion passes") {
    CHECK(part_of(R"([{"op":"flatten","out":784},{"op":"linear","out":10,"in":784}])").nodes[1].attributes["in"] ==
          784);
  }
}

TEST_CASE("a norm has running statistics that are not trained", "[model][tensors]") {
  const Node norm = part_of(R"([{"op":"batchnorm"}])", input_of({6, 4, 4})).nodes[0];
  REQUIRE(norm.tensors.size() == 5);
  CHECK(norm.tensors[2].name == "running_mean");
  CHECK(norm.tensors[3].name == "running_var");
  CHECK(norm.tensors[4].name == "num_batches_tracked");
  CHECK(norm.tensors[4].shape.empty());
  CHECK(norm.tensors[0].trainable);
  CHECK_FALSE(norm.tensors[2].trainable);
}

}  // namespace shapes_test
