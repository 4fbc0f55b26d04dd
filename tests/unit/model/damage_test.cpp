// SPDX-License-Identifier: Apache-2.0
// Random damage to a good model: build() ends in a graph whose every shape is known, or in faults that all have a text.
// Run under the sanitizers too; the seed is fixed, so a failure comes back.
#include "graphs.hpp"
#include "support/catch.hpp"
#include "util/random.hpp"

namespace damage_test {

using namespace dlrun;
using namespace dlrun::model;

namespace {

const char* const kGood = R"({"input":{"x":[1,28,28]},"nodes":[
  {"name":"stem","op":"group","body":[{"name":"conv","op":"conv2d","out":8,"k":3,"pad":"same"},{"op":"batchnorm"},{"op":"relu"}]},
  {"name":"pool","op":"maxpool","k":2,"pad":1},
  {"name":"blocks","op":"group","repeat":2,"tags":["deep"],"body":[
    {"name":"r","op":"residual","shortcut":"projection","body":[{"op":"conv2d","out":16,"k":[3,3],"pad":1,"stride":2},{"op":"layernorm"}]}]},
  {"name":"gate","op":"adaptive_avgpool","out":1},{"name":"gated","op":"multiply","from":["blocks","gate"]},
  {"op":"groupnorm","groups":4},{"op":"upsample","scale":2},{"op":"pad","pad":1},{"op":"avgpool","k":3,"ceil_mode":true},
  {"op":"split","parts":2,"index":1},{"op":"slice","stop":4,"dim":1},{"op":"permute","dims":[0,2,1]},
  {"name":"up","op":"conv_transpose2d","out":8,"k":3,"groups":"in"},{"op":"mean","dim":0,"keepdim":true},
  {"name":"a","op":"conv2d","out":1,"k":3,"pad":1},{"op":"conv2d","out":1,"k":3,"pad":1,"share":"a"},
  {"name":"flat","op":"flatten"},{"name":"drop","op":"dropout","p":0.2},{"name":"shape","op":"reshape","shape":[4,-1]},{"op":"flatten"},
  {"name":"head","op":"linear","out":"classes","role":"head"}]})";

const char* const kGoodSequences = R"({"let":{"width":8,"depth":2},"nodes":[
  {"name":"mask","op":"padding_mask","from":"x","index":0},
  {"name":"words","op":"embedding","from":"x","out":"width","padding_idx":0},
  {"name":"where","op":"positional_encoding","kind":"learned"},
  {"name":"layers","op":"transformer_encoder_layer","from":["where","mask"],"repeat":"depth","heads":2,"feedforward":"2*width"},
  {"name":"back","op":"gru","from":["layers","mask"],"hidden":4,"bidirectional":true,"layers":2,"dropout":0.1},
  {"name":"rows","op":"linear","from":"series","out":8},
  {"name":"edges","op":"graph_attention","from":["rows","adjacency"],"heads":2,"out":4,"dropout":0.1},
  {"name":"graph","op":"transformer_encoder_layer","from":["edges","adjacency"],"heads":4,"feedforward":8},
  {"name":"both","op":"transformer_decoder_layer","from":["back","mask","graph"],"heads":2,"feedforward":8},
  {"name":"ask","op":"multi_head_attention","from":["both","words","mask"],"heads":2,"causal":true},
  {"name":"first","op":"class_token"},{"name":"memory","op":"lstm","hidden":6,"output":"last"},
  {"name":"row","op":"feature_tokenizer","out":6},{"name":"pool","op":"sequence_pool","mode":"max"},
  {"name":"mean","op":"sequence_pool","from":["words","mask"]},{"name":"all","op":"concat","from":["pool","mean"]},
  {"name":"head","op":"linear","out":"outputs","role":"head"}]})";

const Interface kSequences{{{"adjacency", {12, 12}}, {"series", {12, 5}}, {"x", Input({12}, 50)}}, 10, 1, {}};

/// Pointers to every value inside.
void collect(Json& json, std::vector<Json*>& all) {
  all.push_back(&json);
  if (!json.is_structured()) return;
  for (Json& inner : json) collect(inner, all);
}

Json damage(RandomStream& random) {
  static const std::vector<Json> values{nullptr,
                                        true,
                                        0,
                                        1,
                                        2,
                                        3,
                                        -1,
                                        7,
                                        1000,
                                        2147483647,
                                        2147483648,
                                        -9223372036854775807,
                                        1e300,
                                        0.5,
                                        "",
                                        "x",
                                        "input",
                                        "same",
                                        "classes",
                                        "head",
                                        "relu",
                                        "conv2d",
                                        "add",
                                        "concat",
                                        "lstm",
                                        "transformer_decoder_layer",
                                        "words",
                                        "mask",
                                        "2*width",
                                        "residual",
                                        Json::array(),
                                        Json::object(),
                                        Json::array({1, 2}),
                                        Json::array({"gate", "flat"}),
                                        Json::array({Json::object({{"op", "relu"}})})};
  return values[random.below(values.size())];
}

Json damaged(const char* good, RandomStream& random) {
  Json model = parse_json(good, "model");
  for (std::uint64_t i = random.below(3); i < 3; ++i) {
    std::vector<Json*> all;
    collect(model, all);
    Json& victim = *all[1 + random.below(all.size() - 1)];
    if (victim.is_array() && !victim.empty() && random.below(2) == 0) {
      victim.erase(random.below(victim.size()));
    } else {
      victim = damage(random);
    }
  }
  return model;
}

void check_promises(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    REQUIRE_FALSE(node.out.empty());
    REQUIRE(node.in.size() == node.inputs.size());
    for (const std::int64_t size : node.out) REQUIRE(size > 0);
    for (const auto& [name, value] : node.attributes.items()) REQUIRE((!value.is_null() || name == "padding_idx"));
  }
  for (const Output& output : graph.outputs) REQUIRE(graph.find(output.node) != nullptr);
  REQUIRE(!graph.outputs.empty());
  REQUIRE(graph.parameters() >= 0);
  REQUIRE(structural_hash(graph).size() == 64);
}

}  // namespace

TEST_CASE("the models that are damaged are good", "[model][damage]") {
  check_promises(build(parse_json(kGood, "model"), kMnist));
  check_promises(build(parse_json(kGoodSequences, "model"), kSequences));
}

TEST_CASE("a damaged model is a graph or a list of faults", "[model][damage]") {
  const bool is_image = GENERATE(true, false);
  const Interface& interface = is_image ? kMnist : kSequences;
  RandomStream random(13, {"damage", "model"});
  int good = 0, refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const Json model = damaged(is_image ? kGood : kGoodSequences, random);
    CAPTURE(to_text(model));
    std::vector<ModelError> faults;
    const Graph graph = build(model, interface, &faults);
    if (faults.empty()) check_promises(graph);
    for (const ModelError& fault : faults) REQUIRE(std::string(fault.what()).size() > 5);
    ++(faults.empty() ? good : refused);
  }
  CHECK(good > 30);
  CHECK(refused > 1000);
}

}  // namespace damage_test
