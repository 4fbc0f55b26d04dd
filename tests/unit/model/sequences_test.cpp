// SPDX-License-Identifier: Apache-2.0
// Sequences, attention and graphs: shapes, PyTorch's names for the tensors, and what is wrong with a wrong one.
#include "graphs.hpp"
#include "support/catch.hpp"

namespace sequences_test {

using namespace dlrun;
using namespace dlrun::model;
using Catch::Matchers::Contains;

namespace {

using Names = std::vector<std::string>;

const Interface kText{{{"x", Input({12}, 100)}}, 5, 1, {}};
const Interface kSeries{{{"x", {24, 3}}}, 0, 6, {}};

std::string tensors_of(const Graph& graph, const std::string& node) {
  std::string text;
  for (const Tensor& tensor : graph.find(node)->tensors) {
    text += tensor.name;
    for (const std::int64_t size : tensor.shape) text += " " + std::to_string(size);
    text += "\n";
  }
  return text;
}

std::string fault_of(const std::string& nodes, const Interface& interface = kSeries) {
  const auto faults = faults_of(R"({"nodes":)" + nodes + "}", interface);
  REQUIRE_FALSE(faults.empty());
  return faults[0];
}

const Interface kGraph{{{"adjacency", {7, 7}}, {"x", {7, 4}}}, 3, 1, {7}};

}  // namespace

TEST_CASE("an embedding takes its number of vectors from the data", "[model][sequences]") {
  const Graph graph = part_of(R"([{"name":"e","op":"embedding","out":8,"padding_idx":0}])", kText);
  CHECK(graph.find("e")->out == Shape{12, 8});
  CHECK(tensors_of(graph, "e") == "weight 100 8\n");
  CHECK(graph.find("e")->attributes["num_embeddings"] == 100);
  CHECK(part_of(R"([{"name":"e","op":"embedding","out":8,"num_embeddings":128}])", kText).parameters() == 1024);
  CHECK_THAT(fault_of(R"([{"op":"embedding","out":8,"num_embeddings":99}])", kText),
             Contains("go up to 99, beyond the 99 embeddings"));
  CHECK_THAT(fault_of(R"([{"op":"embedding","out":8,"padding_idx":100}])", kText), Contains("there is no index 100"));
  CHECK_THAT(fault_of(R"([{"op":"embedding","out":8}])"), Contains("reads indices, but 'x' holds numbers"));
  CHECK_THAT(fault_of(R"([{"op":"linear","out":8}])", kText), Contains("linear takes numbers"));
}

TEST_CASE("recurrent layers name their tensors as PyTorch does", "[model][sequences]") {
  const Graph graph = part_of(R"([{"name":"r","op":"lstm","hidden":5,"layers":2,"bidirectional":true}])", kSeries);
  CHECK(graph.find("r")->out == Shape{24, 10});
  CHECK(tensors_of(graph, "r") ==
        "weight_ih_l0 20 3\nweight_hh_l0 20 5\nbias_ih_l0 20\nbias_hh_l0 20\n"
        "weight_ih_l0_reverse 20 3\nweight_hh_l0_reverse 20 5\nbias_ih_l0_reverse 20\nbias_hh_l0_reverse 20\n"
        "weight_ih_l1 20 10\nweight_hh_l1 20 5\nbias_ih_l1 20\nbias_hh_l1 20\n"
        "weight_ih_l1_reverse 20 10\nweight_hh_l1_reverse 20 5\nbias_ih_l1_reverse 20\nbias_hh_l1_reverse 20\n");
  const Graph gru = part_of(R"([{"name":"r","op":"gru","hidden":5,"bias":false,"output":"last"}])", kSeries);
  CHECK(gru.find("r")->out == Shape{5});
  CHECK(tensors_of(gru, "r") == "weight_ih_l0 15 3\nweight_hh_l0 15 5\n");
  CHECK_THAT(fault_of(R"([{"op":"gru","hidden":5,"dropout":0.1}])"), Contains("between layers, and there is one"));
  CHECK_THAT(fault_of(R"([{"op":"flatten"},{"op":"gru","hidden":5}])"), Contains("needs a sequence [length, width]"));
}

TEST_CASE("attention names its tensors as PyTorch does", "[model][sequences]") {
  const Graph graph = part_of(R"([{"name":"e","op":"embedding","out":8},
      {"name":"m","op":"padding_mask","from":"x"},
      {"name":"a","op":"multi_head_attention","heads":2,"from":["e","m"]}])",
                              kText);
  CHECK(graph.find("a")->out == Shape{12, 8});
  CHECK(graph.find("m")->out == Shape{12});
  CHECK(tensors_of(graph, "a") == "in_proj_weight 24 8\nin_proj_bias 24\nout_proj.weight 8 8\nout_proj.bias 8\n");
}

TEST_CASE("what attention cannot do is a fault that says why", "[model][sequences]") {
  const std::string wide = R"([{"name":"e","op":"linear","out":8},)";
  CHECK_THAT(fault_of(R"([{"op":"multi_head_attention","heads":2}])"), Contains("2 heads do not divide the width 3"));
  CHECK_THAT(fault_of(wide + R"({"name":"s","op":"linear","out":4},
      {"op":"multi_head_attention","heads":2,"from":["e","s"]}])"),
             Contains("8 and 4 wide"));
  CHECK_THAT(fault_of(wide + R"({"name":"p","op":"sequence_pool"},
      {"op":"multi_head_attention","heads":2,"from":["e","p"]}])"),
             Contains("the mask 'p' is [8]"));
  CHECK_THAT(fault_of(wide + R"({"op":"multi_head_attention","heads":2,"dropout":1.0}])"), Contains("nothing is left"));
  CHECK_THAT(fault_of(wide + R"({"op":"transformer_decoder_layer","heads":2,"feedforward":16}])"),
             Contains("takes 2 to 4 inputs, not 1"));
}

TEST_CASE("rotary positions need pairs of numbers in one sequence", "[model][sequences]") {
  const std::string wide = R"([{"name":"e","op":"linear","out":8},)";
  const auto hash = [&](const std::string& layer) { return structural_hash(part_of(wide + layer + "]", kSeries)); };
  const std::string plain = R"({"op":"multi_head_attention","heads":2)";
  CHECK(hash(plain + R"(,"rotary":10000})") != hash(plain + R"(,"rotary":100})"));
  CHECK_FALSE(part_of(wide + plain + "}]", kSeries).nodes.back().attributes.contains("rotary"));
  CHECK_THAT(fault_of(wide + R"({"op":"multi_head_attention","heads":8,"rotary":100}])"), Contains("each head sees 1"));
  CHECK_THAT(fault_of(wide + R"({"op":"multi_head_attention","heads":2,"rotary":0.5}])"), Contains("of at least 1"));
  CHECK_THAT(fault_of(wide + R"({"name":"f","op":"linear","out":8,"from":"e"},
      {"op":"multi_head_attention","heads":2,"rotary":100,"from":["e","f"]}])"),
             Contains("positions of two sequences"));
}

TEST_CASE("blocks of a transformer are stacked by repeat, under PyTorch's names", "[model][sequences]") {
  const Graph graph = part_of(R"([{"name":"e","op":"embedding","out":8},
      {"name":"m","op":"padding_mask","from":"x"},
      {"name":"layers","op":"transformer_encoder_layer","heads":2,"feedforward":16,"from":["e","m"],"repeat":2},
      {"name":"p","op":"sequence_pool","from":["layers","m"]}])",
                              kText);
  CHECK(graph.find("layers.0")->inputs == Names{"e", "m"});
  CHECK(graph.find("layers.1")->inputs == Names{"layers.0", "m"});
  CHECK(graph.find("p")->inputs == Names{"layers.1", "m"});
  CHECK(graph.find("p")->out == Shape{8});
  CHECK(tensors_of(graph, "layers.1") ==
        "self_attn.in_proj_weight 24 8\nself_attn.in_proj_bias 24\nself_attn.out_proj.weight 8 8\n"
        "self_attn.out_proj.bias 8\nlinear1.weight 16 8\nlinear1.bias 16\nlinear2.weight 8 16\nlinear2.bias 8\n"
        "norm1.weight 8\nnorm1.bias 8\nnorm2.weight 8\nnorm2.bias 8\n");
}

TEST_CASE("a decoder block reads its own sequence and the encoder's", "[model][sequences]") {
  const Graph graph = part_of(R"([{"name":"e","op":"linear","out":8},{"name":"t","op":"linear","out":8,"from":"x"},
      {"name":"d","op":"transformer_decoder_layer","heads":2,"feedforward":16,"activation":"swiglu","from":["t","e"]}])",
                              kSeries);
  CHECK(graph.find("d")->out == Shape{24, 8});
  CHECK(graph.find("d")->attributes["causal"] == true);
  CHECK_THAT(tensors_of(graph, "d"), Contains("multihead_attn.in_proj_weight 24 8") && Contains("norm3.bias 8") &&
                                         Contains("linear1.weight 32 8") && Contains("linear2.weight 8 16"));
}

TEST_CASE("a repeat of layers is a whole number, and has no head", "[model][sequences]") {
  CHECK_THAT(fault_of(R"([{"op":"linear","out":6,"repeat":0}])"),
             Contains("nodes.0.repeat: 'repeat' must be a whole number from 1 to 1000, but is 0"));
  CHECK_THAT(fault_of(R"([{"op":"linear","out":6,"repeat":2,"role":"head"}])"), Contains("has no role"));
  const Graph graph =
      part_of(R"([{"name":"r","op":"residual","repeat":2,"body":[{"name":"fc","op":"linear","out":3}]}])", kSeries);
  CHECK(graph.find("r.1.body.fc")->inputs == Names{"r.0"});
}

TEST_CASE("graph attention reads features and an adjacency", "[model][sequences]") {
  const Graph graph = part_of(R"([{"name":"g","op":"graph_attention","out":8,"heads":2,"from":["x","adjacency"]},
      {"name":"h","op":"graph_attention","out":3,"heads":2,"concat":false,"from":["g","adjacency"]}])",
                              kGraph);
  CHECK(graph.find("g")->out == Shape{7, 16});
  CHECK(graph.find("h")->out == Shape{7, 3});
  CHECK(tensors_of(graph, "h") == "lin.weight 6 16\natt_src 1 2 3\natt_dst 1 2 3\nbias 3\n");
  CHECK_THAT(fault_of(R"([{"op":"graph_attention","out":8,"from":["adjacency","x"]}])", kGraph),
             Contains("the adjacency of 7 nodes is [7, 7], but 'x' is [7, 4]"));
}

TEST_CASE("rows, images and sequences become tokens", "[model][sequences]") {
  const Graph row = part_of(R"([{"name":"t","op":"feature_tokenizer","out":8}])", input_of({5}));
  CHECK(row.find("t")->out == Shape{6, 8});
  CHECK(tensors_of(row, "t") == "weight 5 8\nbias 5 8\ncls_token 8\n");
  const Graph image = part_of(R"([{"name":"p","op":"patch_embedding","out":8,"k":[7,4]},{"name":"c","op":"class_token"},
      {"name":"pos","op":"positional_encoding","kind":"learned"}])");
  CHECK(image.find("p")->out == Shape{28, 8});
  CHECK(image.find("c")->out == Shape{29, 8});
  CHECK(tensors_of(image, "pos") == "weight 29 8\n");
  CHECK_THAT(fault_of(R"([{"op":"patch_embedding","out":8,"k":5}])", kMnist),
             Contains("do not cover the image [1, 28, 28]"));
}

}  // namespace sequences_test
