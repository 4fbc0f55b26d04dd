// SPDX-License-Identifier: Apache-2.0
#include "ablation/rewrite.hpp"

#include "ablation/effects.hpp"
#include "ablation/project.hpp"
#include "ablation/refused.hpp"
#include "ablation/selector.hpp"
#include "support/catch.hpp"

namespace rewrite_test {

using namespace dlrun;
using namespace dlrun::ablation;
using model::Declared;

namespace {

/// A stem, a residual with a projection, a module of two branches, a head.
const char* const kNet = R"({"nodes":[
  {"name":"conv1","op":"conv2d","out":8,"k":3,"pad":1,"tags":["early"]},
  {"name":"bn1","op":"batchnorm"},
  {"name":"act1","op":"relu","tags":["act"]},
  {"name":"res","op":"residual","shortcut":"projection","body":[
     {"name":"conv","op":"conv2d","out":16,"k":3,"pad":1},{"name":"act","op":"relu","tags":["act"]}]},
  {"name":"a","op":"conv2d","out":4,"k":1,"from":"res"},
  {"name":"b1","op":"conv2d","out":6,"k":1,"from":"res"},
  {"name":"b2","op":"conv2d","out":6,"k":3,"pad":1},
  {"name":"cat","op":"concat","from":["a","b2"]},
  {"name":"flat","op":"flatten"},
  {"name":"head","op":"linear","out":"classes","role":"head"}]})";

const model::Interface kImages{{{"x", {1, 8, 8}}}, 10, 1};

Declared net() { return model::declare(parse_json(kNet, "model"), kImages); }

/// Written and read again: what a trial would be given.
model::Graph built(Declared model) {
  prune(model);
  const model::Graph graph = model::build(model);
  const model::Graph again = model::build(model::write(model, graph), kImages);
  CHECK(model::structural_hash(again) == model::structural_hash(graph));
  return again;
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Refused& fault) {
    return fault.what();
  }
  return "";
}

}  // namespace

TEST_CASE("tensors are shared by name and shape", "[ablation][effects]") {
  const auto graph = [](int out, const char* name) {
    Json model = parse_json(R"({"nodes":[{"name":"flat","op":"flatten"},{"op":"linear","bias":false},
      {"name":"head","op":"linear","out":"classes","bias":false,"role":"head"}]})",
                            "model");
    model["nodes"][1].update({{"name", name}, {"out", out}});
    return model::build(model, kImages);
  };
  CHECK(shares_tensors(graph(4, "fc"), graph(4, "other")));  // head
  CHECK_FALSE(shares_tensors(graph(4, "fc"), graph(5, "fc")));
}

TEST_CASE("a model that is written flat is the same model", "[ablation][write]") {
  const Declared model = net();
  const model::Graph graph = model::build(model);
  CHECK(model::structural_hash(built(model)) == model::structural_hash(graph));
  CHECK(built(model).parameters() == graph.parameters());
}

TEST_CASE("what read a dropped layer reads what that read", "[ablation][rewrite]") {
  Declared model = net();
  drop(model, {"bn1", "act1"});
  const model::Graph graph = built(model);
  CHECK(graph.find("bn1") == nullptr);
  CHECK(graph.find("res.body.conv")->inputs == std::vector<std::string>{"conv1"});
  CHECK(graph.find("res.shortcut")->inputs == std::vector<std::string>{"conv1"});
  CHECK(graph.find("conv1")->tensors.size() == 2);  // its bias is back, no norm follows
}

TEST_CASE("a projection takes the shape that its body has now", "[ablation][rewrite]") {
  Declared model = net();
  drop(model, {"res.body.conv"});
  const model::Graph graph = built(model);
  CHECK(graph.find("res.shortcut")->out == model::Shape{8, 8, 8});
  CHECK(graph.find("b1")->in[0] == model::Shape{8, 8, 8});
}

TEST_CASE("a block goes as a whole", "[ablation][rewrite]") {
  Declared model = net();
  const std::vector<Match> matches = select(model, {.names = {"res"}}, false);
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].nodes == std::vector<std::string>{"res.body.conv", "res.body.act", "res.shortcut", "res"});
  drop(model, matches[0].nodes);
  CHECK(built(model).find("a")->inputs == std::vector<std::string>{"act1"});
}

TEST_CASE("of a residual one branch is left", "[ablation][rewrite]") {
  Declared model = net();
  SECTION("the shortcut") {
    drop_branch(model, "res.body");
    const std::vector<std::string> dead = prune(model);
    CHECK(dead == std::vector<std::string>{"res.body.conv", "res.body.act"});
    CHECK(refusal([&] { model::build(model); }).empty());
  }
  SECTION("the body") {
    drop_branch(model, "res.shortcut");
    const model::Graph graph = built(model);
    CHECK(graph.find("a")->inputs == std::vector<std::string>{"res.body.act"});
    CHECK(graph.find("res.shortcut") == nullptr);
  }
  SECTION("an unknown one has its nearest names") {
    CHECK(refusal([&] { drop_branch(model, "ress.body"); }) == "E201: the model has no branch 'ress.body'");
  }
}

TEST_CASE("a module between two layers goes with every reader rewired", "[ablation][rewrite]") {
  Declared model = net();
  SECTION("an inception module, as AutoAblation's add_module") {
    drop_between(model, "res", "cat");
    const model::Graph graph = built(model);
    CHECK(graph.find("flat")->inputs == std::vector<std::string>{"res"});
    CHECK(graph.nodes.size() == 9);
  }
  SECTION("an add's second input too") {
    drop_between(model, "act1", "res");
    CHECK(built(model).find("b1")->inputs == std::vector<std::string>{"act1"});
  }
  SECTION("what is read elsewhere") {
    CHECK(refusal([&] { drop_between(model, "act1", "res.body.act"); }).empty());
    CHECK(refusal([&] { drop_between(model, "b1", "cat"); }) ==
          "E208: 'cat' also depends on 'a', which does not come through 'b1'");
  }
  SECTION("backwards") {
    CHECK(refusal([&] { drop_between(model, "cat", "res"); }) == "E201: no path leads from 'cat' to 'res'");
  }
}

TEST_CASE("an escape of what lies between is named", "[ablation][rewrite]") {
  Declared model = model::declare(parse_json(R"({"nodes":[
    {"name":"a","op":"linear","out":4},{"name":"b","op":"linear","out":4},{"name":"c","op":"linear","out":4},
    {"name":"sum","op":"add","from":["b","c"]},{"name":"head","op":"linear","out":"classes"}]})",
                                             "model"),
                                  {{{"x", {3}}}, 2, 1});
  CHECK(refusal([&] { drop_between(model, "a", "c"); }) ==
        "E207: what lies between is read elsewhere: 'sum' reads 'b'");
}

TEST_CASE("one input of a concat goes, and the last but one makes it an identity", "[ablation][rewrite]") {
  Declared model = net();
  drop_edge(model, "a", "cat");
  const model::Graph graph = built(model);
  CHECK(graph.find("cat") == nullptr);
  CHECK(graph.find("a") == nullptr);
  CHECK(graph.find("flat")->in[0] == model::Shape{6, 8, 8});
  CHECK(refusal([&] { drop_edge(model, "b2", "cat"); }) == "E205: 'b2' is the last input of 'cat'");
  CHECK(refusal([&] { drop_edge(model, "flat", "head"); }) ==
        "E202: 'head' is no add, concat or multiply, whose inputs are a list");
}

TEST_CASE("a projection stays the layer it was when its body goes", "[ablation][rewrite]") {
  Declared model = net();
  drop_branch(model, "res.body");
  const model::Graph graph = built(model);
  CHECK(graph.find("res.body.conv") == nullptr);
  CHECK(graph.find("res.shortcut")->op == "conv2d");
  CHECK(graph.find("res.shortcut")->out == model::Shape{16, 8, 8});
  CHECK(graph.find("a")->inputs == std::vector<std::string>{"res.shortcut"});
}

TEST_CASE("what cannot be dropped is refused by code", "[ablation][rewrite]") {
  Declared model = net();
  CHECK(refusal([&] { drop(model, {"cat"}); }) == "E202: 'cat' has several inputs (a, b2)");
  CHECK(refusal([&] { select(model, {.kind = "linear"}, false); }) ==
        "E203: 'head' is the model's head, which gives its answer");
  CHECK(refusal([&] { select(model, {.names = {"con1"}}, false); }) == "E201: the model has no component 'con1'");
  CHECK(refusal([&] { drop_between(model, "stem", "res"); }) == "E201: the model has no component 'stem'");
  CHECK(refusal([&] { select(model, {.kind = "relu", .except = {"act2"}}, false); }) ==
        "E201: the model has no component 'act2'");
  std::vector<std::string> all;
  for (const model::Draft& draft : model.plan.nodes) all.push_back(draft.name);
  CHECK(refusal([&] { drop(model, all); }) == "E220: nothing would be left between the model's input and its output");
}

TEST_CASE("weights that another layer uses do not go alone", "[ablation][rewrite]") {
  Declared model = model::declare(parse_json(R"({"nodes":[
    {"name":"a","op":"linear","out":3},{"name":"b","op":"linear","out":3,"share":"a"},
    {"name":"head","op":"linear","out":"classes"}]})",
                                             "model"),
                                  {{{"x", {3}}}, 2, 1});
  CHECK(refusal([&] { drop(model, {"a"}); }) == "E216: 'b' uses the weights of 'a', which would be gone");
  drop(model, {"b"});
  CHECK(model.plan.nodes.size() == 2);
}

TEST_CASE("selectors agree on all they are given", "[ablation][selector]") {
  const Declared model = net();
  const auto names = [&](const Selector& selector) {
    std::vector<std::string> out;
    for (const Match& match : select(model, selector, true)) out.push_back(match.name);
    return out;
  };
  using Names = std::vector<std::string>;
  CHECK(names({.kind = "relu"}) == Names{"act1", "res.body.act"});
  CHECK(names({.kind = "relu", .except = {"act1"}}) == Names{"res.body.act"});
  CHECK(names({.prefix = "res.", .kind = "conv2d"}) == Names{"res.body.conv", "res.shortcut"});
  CHECK(names({.glob = "*conv*"}) == Names{"conv1", "res.body.conv"});
  CHECK(names({.regex = "^b\\d$"}) == Names{"b1", "b2"});
  CHECK(names({.tags = {"act"}}) == Names{"act1", "res.body.act"});
  CHECK(names({.kind = "residual"}) == Names{"res"});
}

TEST_CASE("a swapped layer keeps its name and the settings that both have", "[ablation][swap]") {
  Declared model = net();
  SECTION("an activation") {
    swap(model, {"act1"}, {{"op", "gelu"}});
    CHECK(built(model).find("act1")->op == "gelu");
  }
  SECTION("what the new op needs must be said") {
    CHECK(refusal([&] {
            swap(model, {"act1"}, {{"op", "linear"}});
          }) == "E210: linear needs 'out', which 'act1' (relu) does not have");
    CHECK(refusal([&] { swap(model, {"act1"}, {{"op", "gelu"}, {"wide", 1}}); }) == "E210: gelu has no 'wide'");
    CHECK(refusal([&] { swap(model, {"act1"}, {{"op", "add"}}); }).starts_with("E209"));
    CHECK(refusal([&] { swap(model, {"act1"}, {{"op", "gellu"}}); }) == "E201: there is no layer kind 'gellu'");
  }
}

TEST_CASE("side effects are told", "[ablation][effects]") {
  const model::Graph base = model::build(net());
  Declared model = net();
  drop(model, {"res.body.act"});
  drop_branch(model, "res.shortcut");
  const model::Graph graph = built(model);
  CHECK(changed_shapes(base, graph).empty());
  CHECK(warnings_of(base, graph, 2.0).front().starts_with("W302: 'res.body.conv' and 'a'"));
  Declared narrow = net();
  drop_edge(narrow, "b2", "cat");
  const model::Graph small = built(narrow);
  CHECK(changed_shapes(base, small) == std::vector<std::string>{"'flat' reads [4, 8, 8] instead of [10, 8, 8]",
                                                                "'head' reads [256] instead of [640]"});
  CHECK(warnings_of(base, small, 2.0).front().starts_with("W301: 0.485 times the parameters"));
}

TEST_CASE("a projection stands where a dropped layer changed the channels", "[ablation][project]") {
  Declared model = net();
  CHECK(drop_projected(model, {"conv1", "bn1"}) ==
        std::vector<std::string>{"'bn1' is replaced by a linear map, [1, 8, 8] to [8, 8, 8]"});
  const model::Graph graph = built(model);
  CHECK(graph.find("bn1.proj")->op == "conv2d");
  CHECK(graph.find("bn1.proj")->tensors.at(0).shape == model::Shape{8, 1, 1, 1});
  CHECK(graph.find("res.body.conv")->in[0] == model::Shape{8, 8, 8});
  CHECK(graph.find("head")->in[0] == model::Shape{10 * 8 * 8});
}

TEST_CASE("a projection stands where a way ended in a whole residual", "[ablation][project]") {
  Declared model = net();
  CHECK(drop_between_projected(model, "act1", "res") ==
        std::vector<std::string>{"'res' is replaced by a linear map, [8, 8, 8] to [16, 8, 8]"});
  const model::Graph graph = built(model);
  CHECK(graph.find("res") == nullptr);
  CHECK(graph.find("res.proj")->inputs == std::vector<std::string>{"act1"});
  CHECK(graph.find("res.proj")->out == model::Shape{16, 8, 8});
  CHECK(graph.find("a")->inputs == std::vector<std::string>{"res.proj"});
}

TEST_CASE("a projection pools where sizes change, and is linear for a vector", "[ablation][project]") {
  const char* const text = R"({"nodes":[
    {"name":"conv","op":"conv2d","out":4,"k":3,"stride":2,"pad":1},{"name":"pool","op":"maxpool","k":2},
    {"name":"flat","op":"flatten"},{"name":"fc","op":"linear","out":5},{"name":"act","op":"relu"},
    {"name":"head","op":"linear","out":"classes","role":"head"}]})";
  Declared model = model::declare(parse_json(text, "model"), kImages);
  SECTION("both sizes and channels") {
    CHECK(drop_between_projected(model, "x", "pool").size() == 1);
    const model::Graph graph = built(model);
    CHECK(graph.find("pool.pool")->out == model::Shape{1, 2, 2});
    CHECK(graph.find("pool.proj")->out == model::Shape{4, 2, 2});
  }
  SECTION("sizes alone") {
    drop_projected(model, {"pool"});
    CHECK(built(model).find("pool.proj")->op == "adaptive_avgpool");
  }
  SECTION("a vector") {
    drop_projected(model, {"fc"});
    CHECK(built(model).find("fc.proj")->tensors.at(0).shape == model::Shape{5, 16});
  }
  SECTION("a sequence of vectors") {
    const char* const words =
        R"({"nodes":[{"name":"wide","op":"linear","out":6},{"name":"narrow","op":"linear","out":5},
      {"name":"flat","op":"flatten"},{"name":"head","op":"linear","out":"classes","role":"head"}]})";
    Declared sequence = model::declare(parse_json(words, "model"), {{{"x", {7, 3}}}, 10, 1});
    drop_projected(sequence, {"narrow"});
    const model::Graph graph = model::build(sequence);
    CHECK(graph.find("narrow.proj")->op == "linear");
    CHECK(graph.find("narrow.proj")->out == model::Shape{7, 5});
  }
  SECTION("nothing where the shape stays") {
    CHECK(drop_projected(model, {"act"}).empty());
    CHECK(built(model).nodes.size() == 5);
  }
  SECTION("not from an image to a vector") {
    CHECK(refusal([&] { drop_projected(model, {"flat"}); }) ==
          "E215: no projection leads from [4, 2, 2] to [16], which 'flat' gives");
  }
}

namespace {

std::vector<std::string> inputs_of(const Declared& model, const std::string& name) {
  const model::Graph graph = model::build(model);
  const auto node = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](auto& n) { return n.name == name; });
  REQUIRE(node != graph.nodes.end());
  return node->inputs;
}

}  // namespace

TEST_CASE("a dropped layer that reads a mask beside its sequence leaves the sequence", "[ablation][drop]") {
  const char* const text = R"({"nodes":[
    {"name":"mask","op":"padding_mask"},
    {"name":"embed","op":"embedding","from":"x","out":8},
    {"name":"layer1","op":"transformer_encoder_layer","from":["embed","mask"],"heads":2,"feedforward":16},
    {"name":"layer2","op":"transformer_encoder_layer","from":["layer1","mask"],"heads":2,"feedforward":16},
    {"name":"pool","op":"sequence_pool","from":["layer2","mask"]},
    {"name":"head","op":"linear","out":"classes","role":"head"}]})";
  const model::Interface words{{{"x", model::Input({12}, 100)}}, 4, 1};
  Declared model = model::declare(parse_json(text, "model"), words);
  drop(model, {"layer1"});
  CHECK(inputs_of(model, "layer2") == std::vector<std::string>{"embed", "mask"});
  drop(model, {"layer2"});
  CHECK(inputs_of(model, "pool") == std::vector<std::string>{"embed", "mask"});
}

}  // namespace rewrite_test
