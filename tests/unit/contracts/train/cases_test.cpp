// SPDX-License-Identifier: Apache-2.0
// Sizes at which a layer is tested, its object in a test, and which tests a plugin has.
#include <ATen/ATen.h>

#include <dlrun/plugin/layer.hpp>

#include "guests.hpp"
#include "support/catch.hpp"
#include "train/contracts/contract.hpp"
#include "train/contracts/draws.hpp"
#include "train/contracts/run.hpp"
#include "train/contracts/tested_layer.hpp"
#include "util/error.hpp"

namespace cases_test {

using namespace dlrun;
using namespace dlrun::train::contracts;
using contracts_test::Guest;
using contracts_test::made_of;
using plugin::LayerFacts;

namespace {

/// Scales its first input, and ignores the others.
class Scales final : public plugin::Layer {
 public:
  explicit Scales(const LayerFacts&) {}
  at::Tensor run(const std::vector<at::Tensor>& inputs, const plugin::Tensors& tensors, const plugin::Pass&) override {
    return inputs[0] * tensors["scale"];
  }
};

#define SCALE \
  "tensors: [{name: scale, shape: [1], init: ones}, {name: count, shape: [1], init: ones, trainable: false}]\n"
#define SIZES(name, rest) \
  const Guest name("plugin: " #name "\nkind: layer\n" rest, made_of<plugin::Layer, Scales, LayerFacts>);

SIZES(any_rest, "inputs: [['...']]\noutput: ['...']\n" SCALE)
SIZES(fixed, "inputs: [[3, D, 2], [D], [E]]\noutput: [3, D, 2]\n" SCALE)
SIZES(rests, "inputs: [['...', D], ['...', E]]\noutput: ['...', D]\n" SCALE)
SIZES(above_eight, "inputs: [[D]]\noutput: [D]\nrequire: [{that: D > 8, message: no}]\n" SCALE)
SIZES(twenty, "inputs: [[D]]\noutput: [D]\nrequire: [{that: D == 20, message: no}]\n" SCALE)
SIZES(large, "inputs: [[D]]\noutput: [D]\nrequire: [{that: D > 250, message: no}]\n" SCALE)
SIZES(greatest, "inputs: [[D]]\noutput: [D]\nrequire: [{that: D == 256, message: no}]\n" SCALE)
SIZES(huge, "inputs: [[D]]\noutput: [D]\nrequire: [{that: D > 256, message: 'D is {D}'}]\n" SCALE)
SIZES(full_input, "inputs: [[D, E, F]]\noutput: [1]\nrequire: [{that: D * E * F > 60000, message: no}]\n" SCALE)
SIZES(wide_output, "inputs: [[D]]\noutput: [16384 * D]\n" SCALE)
SIZES(wider_output, "inputs: [[D]]\noutput: [65537]\n" SCALE)
SIZES(wide_tensor, "inputs: [[D]]\noutput: [D]\ntensors: [{name: scale, shape: [16384 * D], init: ones}]\n")
SIZES(wide_second,
      "inputs: [[D], [E]]\noutput: [D]\ntensors: [{name: scale, shape: [1], init: ones}, "
      "{name: more, shape: [16384 * D], init: ones}]\n")

std::string texts_of(const char* name) {
  std::string text = std::string(name) + ":\n";
  try {
    const plugin::Tested tested = contracts_test::tested(plugin::Kind::layer, name);
    for (const LayerCase& one : layer_cases(tested)) text += "  " + one.text + "\n";
  } catch (const Broken& broken) {
    text += "  BROKEN " + broken.message + "\n";
  }
  return text;
}

plugin::Tested fixed_layer() { return contracts_test::tested(plugin::Kind::layer, "fixed"); }

}  // namespace

TEST_CASE("sizes of layers are drawn small, and kept where plugin.yaml accepts them", "[contracts][cases]") {
  std::string text;
  for (const char* name : {"any_rest", "fixed", "rests", "above_eight", "twenty", "large", "greatest", "huge",
                           "full_input", "wide_output", "wider_output", "wide_tensor", "wide_second"})
    text += texts_of(name);
  contracts_test::require_golden("layer_sizes.txt", text);
}

TEST_CASE("a case is a network of one layer without the key `op`", "[contracts][cases]") {
  const plugin::Tested tested = fixed_layer();
  const auto cases = layer_cases(tested);
  REQUIRE(cases.size() == 4);
  CHECK(cases[0].node().name == "tested");
  CHECK(cases[0].node().op == "fixed");
  CHECK(cases[0].node().attributes == Json::object());
  CHECK(cases[0].node().out == cases[0].node().in[0]);
  REQUIRE(cases[0].node().tensors.size() == 2);
  CHECK(cases[0].node().tensors[0].trainable);
  CHECK_FALSE(cases[0].node().tensors[1].trainable);
}

TEST_CASE("inputs are drawn by name and place, indices are 0 or 1", "[contracts][cases]") {
  const plugin::Tested tested = fixed_layer();
  const auto cases = layer_cases(tested);
  const Inputs inputs = drawn_inputs(cases[1], 5, "it", {false, true, false});
  REQUIRE(inputs.size() == 3);
  const std::int64_t d = cases[1].node().in[1][0], e = cases[1].node().in[2][0];
  CHECK(are_equal(inputs[0], drawn({5, 3, d, 2}, "it 0")));
  CHECK(are_equal(inputs[1], drawn_labels(5 * d, 2, "it 1").reshape({5, d})));
  CHECK(are_equal(inputs[2], drawn({5, e}, "it 2")));
}

TEST_CASE("a tested layer is stirred where it is trained, copied and set", "[contracts][cases]") {
  const plugin::Tested tested = fixed_layer();
  const auto cases = layer_cases(tested);
  TestedLayer layer(cases[0]), other(cases[0]);
  CHECK(layer.at().text == cases[0].text);
  CHECK(layer.tensors()[0].equal(at::ones({1})));
  layer.stir();
  CHECK(are_equal(layer.tensors()[0], at::ones({1}) + 0.5 * drawn({1}, "stir tested.scale")));
  CHECK(layer.tensors()[1].equal(at::ones({1})));
  CHECK(other.tensors()[0].equal(at::ones({1})));
  const std::vector<at::Tensor> copies = layer.tensors();
  other.load(layer);
  layer.set({at::zeros({1}), at::full({1}, 2.0)});
  CHECK(are_equal(other.tensors()[0], copies[0]));
  CHECK(layer.tensors()[0].equal(at::zeros({1})));
  CHECK(layer.tensors()[1].equal(at::full({1}, 2.0)));
  CHECK(local_name(layer.parameters()[0]) == "scale");
}

TEST_CASE("inputs that a layer ignores have gradients of zero, indices have none", "[contracts][cases]") {
  const plugin::Tested tested = fixed_layer();
  const auto cases = layer_cases(tested);
  TestedLayer layer(cases[0]);
  const Inputs inputs = drawn_inputs(cases[0], 2, "it", {false, true, false});
  const at::Tensor out = layer.forward(inputs, {.training = true});
  const std::vector<at::Tensor> grads = layer.backward(at::full_like(out, 3));
  REQUIRE(grads.size() == 3);
  CHECK(grads[0].equal(at::full_like(inputs[0], 3)));
  CHECK_FALSE(grads[1].defined());
  CHECK(grads[2].equal(at::zeros_like(inputs[2])));
}

TEST_CASE("tests of a plugin begin at the number that is asked for", "[contracts][cases]") {
  const plugin::Tested tested = fixed_layer();
  std::string begun, ended;
  const trial::PluginTest test{.kind = "layer", .name = "fixed", .section = tested.section, .first = 4};
  train::test_plugin(test, [&](const trial::PluginVerdict& verdict) {
    (verdict.has_begun ? begun : ended) += verdict.test + "; ";
    if (verdict.has_begun) CHECK(verdict.detail.empty());
  });
  CHECK(begun == "state; training and measuring; nothing changed in place; ");
  CHECK(ended == begun);
}

TEST_CASE("a plugin of another name or kind has no tests of workers", "[contracts][cases]") {
  fixed_layer();
  const auto none = [](const trial::PluginVerdict&) {};
  CHECK_THROWS_WITH(train::test_plugin({.kind = "loss", .name = "fixed", .section = {}}, none),
                    "there is no loss 'fixed'");
  CHECK_THROWS_AS(train::test_plugin({.kind = "oracle", .name = "fixed", .section = {}}, none), Error);
}

}  // namespace cases_test
