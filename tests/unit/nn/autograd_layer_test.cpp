// SPDX-License-Identifier: Apache-2.0
// The adapter for layers written forward only, called as GraphModule calls it: below autograd.
#include "nn/autograd_layer.hpp"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include "support/catch.hpp"

namespace autograd_layer_test {

using namespace dlrun;

namespace {

/// One row of a table for each index, times a number for each example: y[b] = table[i[b]] * x[b] + running.
class Gated final : public nn::AutogradLayer {
 public:
  using AutogradLayer::AutogradLayer;

 private:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const nn::Tensors& tensors, const nn::Pass& pass) override {
    REQUIRE_FALSE(tensors["bias"].defined());
    const at::Tensor running = tensors["running"];
    if (pass.training) running.add_(1);
    return at::embedding(tensors["table"], inputs[0]) * inputs[1] + running;
  }
};

model::Graph graph() {
  model::Graph graph;
  model::Node node;
  node.name = "g";
  node.op = "gated";
  node.inputs = {"i", "x"};
  node.in = {{1}, {3}};
  node.out = {3};
  node.tensors = {{"table", {4, 3}}, {"unused", {2}}, {"running", {3}, false}};
  graph.nodes = {node};
  return graph;
}

const at::Tensor kIndices = at::tensor({2, 0, 2}, at::kLong), kNumbers = at::arange(9, at::kFloat).view({3, 3});

}  // namespace

TEST_CASE("a layer written forward only has the gradients of its inputs and tensors", "[nn][autograd]") {
  const model::Graph g = graph();
  nn::Parameters parameters(g);
  parameters.find("g.table")->value.copy_(at::arange(12, at::kFloat).view({4, 3}));
  parameters.find("g.unused")->grad.fill_(7);
  Gated layer(nn::Scope(g.nodes[0], parameters, {}));
  const at::AutoDispatchBelowADInplaceOrView below;
  for (int pass = 0; pass < 2; ++pass) {  // the second pass leaves nothing of the first
    const at::Tensor y = layer.forward({kIndices, kNumbers}, {.training = true, .step = pass});
    CHECK_FALSE(y.requires_grad());
    const at::Tensor rows = parameters.find("g.table")->value.index_select(0, kIndices);
    CHECK(at::equal(y, rows * kNumbers + (pass + 1)));
    const std::vector<at::Tensor> in = layer.backward(at::ones({3, 3}), {false, true});
    CHECK_FALSE(in[0].defined());
    CHECK(at::equal(in[1], rows));
    CHECK(at::equal(parameters.find("g.table")->grad, at::zeros({4, 3}).index_add_(0, kIndices, kNumbers)));
    CHECK(at::equal(parameters.find("g.unused")->grad, at::zeros({2})));
  }
}

TEST_CASE("outside of training a layer written forward only builds no graph", "[nn][autograd]") {
  const model::Graph g = graph();
  nn::Parameters parameters(g);
  Gated layer(nn::Scope(g.nodes[0], parameters, {}));
  const at::AutoDispatchBelowADInplaceOrView below;
  const at::Tensor y = layer.forward({kIndices, kNumbers}, {});
  CHECK_FALSE(y.requires_grad());
  CHECK(at::equal(y, at::zeros({3, 3})));
}

}  // namespace autograd_layer_test
