// SPDX-License-Identifier: Apache-2.0
// Every fault of a model: its place, what is said, what would be right.
#include "graphs.hpp"
#include "support/catch.hpp"

namespace faults_test {

using namespace dlrun;
using namespace dlrun::model;

namespace {

using Lines = std::vector<std::string>;

/// The only fault of a list of layers; an end with the right width is added where `is_open`.
std::string fault_of(const std::string& nodes, const Interface& interface = kMnist) {
  const Lines faults = faults_of(R"({"nodes":)" + nodes + "}", interface);
  CAPTURE(faults);
  REQUIRE(faults.size() == 1);
  return faults[0];
}

/// The layers, and an end that fits any image.
std::string fault_in(const std::string& layers) {
  return fault_of("[" + layers +
                  R"(,{"op":"adaptive_avgpool"},{"op":"flatten"},{"name":"head","op":"linear","out":"classes"}])");
}

}  // namespace

TEST_CASE("a kind that does not exist", "[model][faults]") {
  CHECK(fault_in(R"({"op":"conv2"})") == R"(nodes.0.op: there is no layer kind "conv2" (did you mean 'conv2d'?))");
  CHECK_THAT(fault_in(R"({"op":"transformer"})"), Contains("there are linear, conv1d, "));
  CHECK_THAT(fault_in(R"({"op":7})"), Contains("nodes.0.op: there is no layer kind 7"));
  CHECK(fault_in(R"({"name":"a"})") == "nodes.0: a layer needs 'op', its kind (e.g. {name: fc1, op: linear, out: 64})");
  CHECK(fault_in(R"("relu")") == "nodes.0: a layer must be a map, but is \"relu\" (e.g. {name: act1, op: relu})");
}

TEST_CASE("attributes that are unknown, missing or wrong", "[model][faults]") {
  CHECK(fault_in(R"({"op":"conv2d","out":4,"k":3,"strid":2})") ==
        "nodes.0.strid: conv2d has no 'strid' (did you mean 'stride'?)");
  CHECK(fault_in(R"({"op":"relu","slope":2})") ==
        "nodes.0.slope: relu has no 'slope' (there are name, op, from, tags, role, repeat, share)");
  CHECK(fault_in(R"({"op":"conv2d","out":4})") == "nodes.0: conv2d needs 'k' (k: size of the kernel)");
  CHECK(fault_in(R"({"op":"conv2d","out":0,"k":1})") ==
        "nodes.0.out: 'out' must be a whole number of at least 1, or one of classes, targets, but is 0 ()");
  CHECK(fault_in(R"({"op":"conv2d","out":3000000000,"k":1})") ==
        "nodes.0.out: 'out' must be a whole number from 1 to 2147483647, or one of classes, targets, but is 3000000000 "
        "()");
  CHECK(fault_in(R"({"op":"conv2d","out":4,"k":3,"pad":"sam"})") ==
        "nodes.0.pad: 'pad' must be a whole number of at least 0, or a pair of them, [vertical, horizontal], or one of "
        "same, "
        "valid, but is \"sam\" (did you mean 'same'?)");
  CHECK(fault_in(R"({"op":"dropout","p":1.5})") == "nodes.0.p: 'p' must be a number from 0 to 1, but is 1.5 ()");
  CHECK(fault_in(R"({"name":"d","op":"dropout","p":1})") ==
        "nodes.0.p: 'd': with p: 1 nothing is left (p must be below 1)");
  CHECK(fault_in(R"({"op":"batchnorm","affine":1})") == "nodes.0.affine: 'affine' must be true or false, but is 1 ()");
  CHECK(fault_in(R"({"op":"conv2d","out":4,"k":[3,3,3]})") ==
        "nodes.0.k: 'k' must be a whole number of at least 1, or a pair of them, [vertical, horizontal], but is "
        "[3,3,3] ()");
  CHECK(fault_in(R"({"op":"gelu","approximate":"than"})") ==
        "nodes.0.approximate: 'approximate' must be one of none, tanh, but is \"than\" (did you mean 'tanh'?)");
  CHECK(fault_in(R"({"op":"conv2d","out":2.5,"k":3})") ==
        "nodes.0.out: 'out' must be a whole number of at least 1, or one of classes, targets, but is 2.5 ()");
}

TEST_CASE("an assertion that does not hold", "[model][faults]") {
  CHECK(
      fault_in(R"({"name":"c","op":"conv2d","out":4,"k":3,"in":3})") ==
      "nodes.0.in: 'c': the spec says in: 3, but it is 1 (`in` is inferred: remove it, or correct what comes before)");
}

TEST_CASE("names", "[model][faults]") {
  CHECK(fault_in(R"({"name":"a b","op":"relu"})") ==
        "nodes.0.name: \"a b\" is no name for a layer (1 to 100 letters, digits, '_', '-' and inner '.')");
  CHECK_THAT(fault_in(R"({"name":"","op":"relu"})"), Contains("is no name for a layer"));
  CHECK_THAT(fault_in(R"({"name":"a..b","op":"relu"})"), Contains("is no name for a layer"));
  CHECK_THAT(fault_in(R"({"name":")" + std::string(101, 'a') + R"(","op":"relu"})"),
             Contains("is no name for a layer"));
  CHECK_THAT(fault_in(R"({"name":5,"op":"relu"})"), Contains("5 is no name for a layer"));
  CHECK(fault_in(R"({"name":"a","op":"relu"},{"name":"a","op":"relu"})") ==
        "nodes.1.name: there are two layers 'a' (give one of them another name)");
  CHECK(fault_in(R"({"name":"x","op":"relu"})") ==
        "nodes.0.name: there are two layers 'x' (give one of them another name)");
  CHECK(fault_in(R"({"name":"input","op":"relu"})") ==
        "nodes.0.name: 'input' means what a block reads (give the layer another name)");
  CHECK(fault_in(R"({"op":"relu","role":"tail"})") ==
        "nodes.0.role: there is no role \"tail\" (the only role is 'head')");
  CHECK(fault_in(R"({"op":"relu","role":"head"},{"op":"relu","role":"head"})") ==
        "nodes.1.role: the model has two heads (`role: head` belongs to one layer)");
  CHECK(fault_in(R"({"op":"relu","tags":[1]})") ==
        "nodes.0.tags: 1 is no tag (tags are names, e.g. tags: [act, early])");
}

TEST_CASE("from", "[model][faults]") {
  CHECK(fault_in(R"({"name":"conv1","op":"relu"},{"name":"b","op":"relu","from":"con1"})") ==
        "nodes.1.from: there is no layer 'con1' above this one (did you mean 'conv1'?)");
  CHECK(fault_in(R"({"name":"a","op":"relu","from":"zzzzzz"})") ==
        "nodes.0.from: there is no layer 'zzzzzz' above this one (a layer reads what stands above it in the list)");
  CHECK(fault_in(R"({"op":"relu","from":[]})") ==
        "nodes.0.from: 'from' is an empty list (leave it out to read the layer above)");
  CHECK(fault_in(R"({"op":"relu","from":3})") ==
        "nodes.0.from: 'from' must name layers, but is 3 (a name, or a list of names)");
  CHECK(fault_in(R"({"name":"a","op":"relu"},{"name":"b","op":"relu","from":["a","x"]})") ==
        "nodes.1.from: 'b': relu takes one input, not 2 (join them before, by add or concat)");
  CHECK(fault_in(R"({"name":"s","op":"add"})") ==
        "nodes.0.from: 's': add takes 2 to 64 inputs, not 1 (name them: from: [a, b])");
}

TEST_CASE("a cycle cannot be written: what stands below is not there yet", "[model][faults]") {
  CHECK(fault_in(R"({"name":"first","op":"relu","from":"second"},{"name":"second","op":"relu","from":"first"})") ==
        "nodes.0.from: there is no layer 'second' above this one (a layer reads what stands above it in the list)");
  CHECK_THAT(fault_in(R"({"name":"myself","op":"relu","from":"myself"})"),
             Contains("there is no layer 'myself' above this one"));
}

TEST_CASE("a layer that nobody reads", "[model][faults]") {
  CHECK(fault_in(R"({"name":"a","op":"relu"},{"name":"b","op":"relu","from":"x"})") ==
        "nodes.0: nothing reads the output of 'a' (name it in the `from` of a later layer, or remove it; the model's "
        "output is "
        "the last layer, 'head')");
  const Interface two{{{"x", {4}}, {"y", {3}}}, 0, 1};
  CHECK(fault_of(R"([{"op":"linear","out":1,"from":"y"}])", two) == "nodes: nothing reads the input 'x' ()");
}

TEST_CASE("shapes that do not meet", "[model][faults]") {
  CHECK(fault_in(R"({"name":"a","op":"conv2d","out":4,"k":3},{"name":"s","op":"add","from":["a","x"]})") ==
        "nodes.1: 's': cannot add 'a' [4, 26, 26] and 'x' [1, 28, 28] (give both the same shape; in a residual, "
        "`shortcut: "
        "projection` fits the input to the body)");
  CHECK_THAT(fault_in(R"({"name":"r","op":"residual","body":[{"name":"c","op":"conv2d","out":4,"k":3,"pad":1}]})"),
             Contains("nodes.0: 'r': cannot add 'r.body.c' [4, 28, 28] and 'x' [1, 28, 28]"));
  CHECK(fault_in(R"({"name":"a","op":"conv2d","out":4,"k":3},{"name":"s","op":"multiply","from":["a","x"]})") ==
        "nodes.1: 's': cannot multiply 'a' [4, 26, 26] and 'x' [1, 28, 28] (sizes must be equal, or 1 on one side)");
  CHECK(
      fault_of(R"([{"name":"a","op":"conv2d","out":4,"k":3},{"name":"s","op":"concat","from":["a","x"]}])") ==
      "nodes.1: 's': cannot concatenate 'a' [4, 26, 26] and 'x' [1, 28, 28] along dim 0 (all other sizes must agree)");
  CHECK(fault_of(R"([{"name":"a","op":"flatten"},{"name":"s","op":"concat","dim":2,"from":["a","a"]}])") ==
        "nodes.1.dim: 's': the inputs have 1 sizes, there is no dim 2 (dim counts from 0, without the batch)");
  CHECK(fault_of(R"([{"name":"r","op":"residual","shortcut":"projection","body":[{"op":"flatten"}]}])") ==
        "nodes.0.shortcut: 'r.shortcut': no 1x1 projection leads from [1, 28, 28] to the body's [784] (write the "
        "shortcut's "
        "layers out: shortcut: [...])");
}

TEST_CASE("windows that do not fit", "[model][faults]") {
  CHECK(fault_of(R"([{"name":"c","op":"conv2d","out":4,"k":5}])", input_of({1, 3, 3})) ==
        "nodes.0.k: 'c': a window of [5, 5] does not fit into the input [1, 3, 3] (make k smaller, pad more, or take "
        "out a pool "
        "or stride before it)");
  CHECK_THAT(fault_of(R"([{"name":"p","op":"maxpool","k":2}])", input_of({16, 1, 1})),
             Contains("a window of [2, 2] does not fit into the input [16, 1, 1]"));
  CHECK_THAT(fault_of(R"([{"name":"c","op":"conv2d","out":4,"k":5,"dilation":2,"pad":1}])", input_of({1, 3, 3})),
             Contains("a window of [9, 9] does not fit into the input [1, 3, 3] padded by [1, 1]"));
  CHECK(fault_in(R"({"name":"p","op":"maxpool","k":2,"pad":2})") ==
        "nodes.0.pad: 'p': a pad of [2, 2] is more than half the window [2, 2] ()");
  CHECK(fault_of(R"([{"name":"c","op":"conv2d","out":4,"k":3,"stride":2,"pad":"same"}])") ==
        "nodes.0.pad: 'c': `pad: same` needs stride 1 (write the padding as a number, e.g. pad: 1)");
  CHECK_THAT(fault_of(R"([{"name":"c","op":"conv2d","out":4,"k":3,"groups":3}])"),
             Contains("nodes.0.groups: 'c': 3 groups do not divide 1 input and 4 output channels"));
}

TEST_CASE("layers on inputs they cannot take", "[model][faults]") {
  CHECK(fault_of(R"([{"name":"fc","op":"linear","out":10}])") ==
        "nodes.0: 'fc': linear needs a vector, but gets [1, 28, 28] (add a flatten before it: {op: flatten})");
  CHECK(
      fault_of(R"([{"name":"c","op":"conv2d","out":10,"k":3}])", input_of({64})) ==
      "nodes.0: 'c': conv2d needs an input [channels, height, width], but gets [64] (make an image of it before: {op: "
      "reshape, shape: [1, height, width]})");
  CHECK(fault_of(R"([{"name":"r","op":"reshape","shape":[7,-1]}])", input_of({64})) ==
        "nodes.0.shape: 'r': [7, -1] has not the 64 elements of the input [64] ()");
  CHECK(fault_of(R"([{"name":"r","op":"reshape","shape":[-1,-1]}])", input_of({64})) ==
        "nodes.0.shape: 'r': [-1, -1] has a 0 or more than one -1 ()");
}

TEST_CASE("an output that does not fit the data", "[model][faults]") {
  CHECK(fault_of(R"([{"op":"flatten"},{"name":"head","op":"linear","out":5}])") ==
        "nodes.1: the model's output 'head' is [5], but the data has 10 classes (write `out: classes`)");
  CHECK(fault_of(R"([{"name":"c","op":"relu"}])") ==
        "nodes.0: the model's output 'c' is [1, 28, 28], but the data has 10 classes (end with {op: flatten} and {op: "
        "linear, "
        "out: classes})");
  CHECK(fault_of(R"([{"name":"h","op":"linear","out":"classes"}])", input_of({4})) ==
        "nodes.0.out: 'h': the data has no classes, its target is a number (write `targets` for a regression)");
  CHECK(fault_of(R"([{"op":"flatten"},{"name":"h","op":"linear","out":"targets"}])") ==
        "nodes.1.out: 'h': the data has no numeric targets, but 10 classes (write `classes`)");
}

TEST_CASE("groups and residuals", "[model][faults]") {
  CHECK(fault_in(R"({"op":"group"})") == "nodes.0: group needs 'body' (body: the layers of the group)");
  CHECK(fault_in(R"({"op":"group","body":[]})") ==
        "nodes.0.body: the list of layers is empty (give it at least one layer)");
  CHECK_THAT(fault_in(R"({"op":"group","repeat":0,"body":[{"op":"relu"}]})"),
             Contains("'repeat' must be a whole number from 1 to 1000"));
  CHECK_THAT(fault_in(R"({"op":"residual","shortcut":"projektion","body":[{"op":"relu"}]})"),
             Contains("'shortcut' must be one of identity, projection, none, or a list of layers") &&
                 Contains("did you mean 'projection'?"));
  CHECK(fault_in(R"({"op":"group","role":"head","body":[{"op":"relu"}]})") ==
        "nodes.0.role: a group has no role (give it to a layer inside)");
  CHECK(fault_in(R"({"name":"a","op":"relu"},{"op":"group","from":["a","x"],"body":[{"op":"relu"}]})") ==
        "nodes.1.from: a group has one input, not 2 (join them before, by add or concat)");
}

TEST_CASE("a fault inside a repeat is said once", "[model][faults]") {
  CHECK(fault_in(R"({"op":"group","repeat":5,"body":[{"op":"conv2d","out":1,"k":1,"stide":1}]})") ==
        "nodes.0.body.0.stide: conv2d has no 'stide' (did you mean 'stride'?)");
  CHECK_THAT(fault_in(R"({"op":"group","repeat":5,"body":[{"op":"conv2d","out":2,"k":1,"groups":2}]})"),
             Contains("nodes.0.body.0.groups: "));
  CHECK_THAT(fault_in(R"({"op":"group","repeat":5,"body":[{"name":"dead","op":"relu"},{"op":"relu","from":"input"}]})"),
             Contains("nodes.0.body.0: nothing reads the output of 'group1.0.dead'"));
}

TEST_CASE("models that are too large", "[model][faults]") {
  CHECK_THAT(fault_of(R"([{"name":"a","op":"linear","out":2000000000},{"op":"linear","out":1}])", input_of({2})),
             Contains("nodes.0: 'a': 'weight' would have the shape [2000000000, 2], more than 2^31 numbers"));
  CHECK_THAT(fault_of(R"([{"name":"c","op":"conv2d","out":1,"k":1,"pad":100000}])"),
             Contains("'c' would have the output [1, 200028, 200028], more than 2^31 numbers"));
  CHECK_THAT(
      fault_of(
          R"([{"op":"flatten"},{"op":"linear","out":40000},{"op":"linear","out":40000},{"op":"linear","out":40000},{"op":"linear","out":10}])"),
      Contains("nodes: the model has more than 2^31 parameters"));
  CHECK_THAT(fault_of(R"([{"op":"group","repeat":1000,"body":[{"op":"group","repeat":1000,"body":[{"op":"relu"}]}]}])"),
             Contains("the model has more than 10000 layers"));
}

TEST_CASE("nested repeats of nothing end too", "[model][faults]") {
  std::string nodes = "[]";
  for (int i = 0; i < 5; ++i) nodes = R"([{"op":"group","repeat":1000,"body":)" + nodes + "}]";
  CHECK_FALSE(faults_of(R"({"nodes":)" + nodes + "}").empty());
}

TEST_CASE("layers nested too deep", "[model][faults]") {
  std::string nodes = R"([{"op":"relu"}])";
  for (int i = 0; i < 12; ++i) nodes = R"([{"op":"residual","body":)" + nodes + "}]";
  CHECK_THAT(faults_of(R"({"nodes":)" + nodes + "}").at(0), Contains("layers are nested too deep"));
}

TEST_CASE("sections that are no model", "[model][faults]") {
  CHECK(faults_of("[]").at(0) == ": the model must be a map (model: {nodes: [...]})");
  CHECK(faults_of("{}").at(0) ==
        ": a model needs 'nodes', a list of layers (e.g. nodes: [{name: head, op: linear, out: classes}])");
  CHECK(faults_of(R"({"nodes":3})").at(0) ==
        "nodes: a model needs 'nodes', a list of layers (e.g. nodes: [{name: head, op: linear, out: classes}])");
  CHECK(faults_of(R"({"nodes":[]})").at(0) == "nodes: the list of layers is empty (give it at least one layer)");
  CHECK(faults_of(R"({"node":[{"op":"relu"}]})").at(0) == "node: a model has no 'node' (did you mean 'nodes'?)");
  CHECK(faults_of(R"({"nodes":[{"op":"relu"}]})", Interface{}).at(0) ==
        "input: the model has no input (e.g. input: {x: [1, 28, 28]})");
}

TEST_CASE("all faults are found in one pass, none of them a consequence", "[model][faults]") {
  CHECK(faults_of(R"({"nodes":[{"name":"c1","op":"conv2d","out":4,"k":3},{"name":"c2","op":"conv2d","k":3},
      {"name":"p","op":"maxpol","k":2},{"name":"fc1","op":"linear","out":"many"},{"name":"a","op":"relu","from":"fc"},
      {"name":"head","op":"linear","out":9}]})") ==
        Lines{"nodes.2.op: there is no layer kind \"maxpol\" (did you mean 'maxpool'?)",
              "nodes.4.from: there is no layer 'fc' above this one (did you mean 'fc1'?)",
              "nodes.1: conv2d needs 'out' (out: number of output channels)",
              "nodes.3.out: 'out' must be a whole number of at least 1, or one of classes, targets, outputs, but is "
              "\"many\" ()",
              "nodes.5: the model's output 'head' is [9], but the data has 10 classes (write `out: classes`)"});
}

TEST_CASE("without a collector the first fault is thrown", "[model][faults]") {
  CHECK_THROWS_AS(graph_of(R"([{"op":"conv2"}])"), ModelError);
  CHECK_THROWS_WITH(graph_of(R"([{"op":"conv2"}])"), Contains("there is no layer kind"));
}

TEST_CASE("every kind is in the table, with a text for each attribute", "[model][kinds]") {
  CHECK(layer_kinds().size() == 78);
  for (const options::Variant& kind : layer_kinds()) {
    CHECK_FALSE(kind.text.empty());
    for (const options::Key& attribute : kind.table) {
      CAPTURE(kind.name, attribute.name);
      CHECK_FALSE(attribute.text.empty());
      const bool says_so = attribute.text.find("default") != std::string::npos ||
                           attribute.text.find("in place of") != std::string::npos;
      CHECK((attribute.required || attribute.is_inferred || !attribute.fallback.is_null() || says_so ||
             attribute.name == "repeat" || attribute.name == "padding_idx"));
    }
  }
}

}  // namespace faults_test
