// SPDX-License-Identifier: Apache-2.0
// Layers that use the weights of another one: one value, gradients added, as autograd has it.
#include <ATen/ATen.h>

#include "nn/graph_module.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"

namespace share_test {

using namespace dlrun;

namespace {

model::Graph graph_of(const std::string& nodes, const model::Interface& interface) {
  std::vector<model::ModelError> faults;
  return model::build(parse_json(R"({"nodes":)" + nodes + "}", "model"), interface, &faults);
}

}  // namespace

TEST_CASE("gradients of shared weights are added", "[nn][share]") {
  nn::GraphModule module(graph_of(R"([{"name":"a","op":"linear","out":6},{"name":"t","op":"tanh"},
                   {"name":"b","op":"linear","out":6,"share":"a"},{"name":"u","op":"tanh"},
                   {"name":"c","op":"linear","out":6,"share":"a"}])",
                                  {{{"x", {6}}}, 0, 6}),
                         {3, 0});
  REQUIRE(module.parameters().all().size() == 2);
  const nn::Parameter &w = module.parameters().all()[0], &b = module.parameters().all()[1];
  const at::Tensor weight = w.value.clone().set_requires_grad(true), bias = b.value.clone().set_requires_grad(true);
  const at::Tensor x = at::sin(at::arange(24, at::kFloat)).view({4, 6});
  for (int step = 0; step < 2; ++step) {  // nothing is left of the step before
    weight.mutable_grad() = at::Tensor();
    bias.mutable_grad() = at::Tensor();
    const at::Tensor y = module.forward({x}, {.training = true, .step = step});
    at::Tensor expected = at::linear(x, weight, bias);
    for (int i = 0; i < 2; ++i) expected = at::linear(at::tanh(expected), weight, bias);
    CHECK(at::allclose(y, expected.detach(), 1e-6, 1e-6));
    module.backward(at::ones_like(y));
    expected.backward(at::ones_like(y));
    CHECK(at::allclose(w.grad, weight.grad(), 1e-5, 1e-6));
    CHECK(at::allclose(b.grad, bias.grad(), 1e-5, 1e-6));
  }
}

TEST_CASE("a head that reads an embedding back learns it too", "[nn][share]") {
  nn::GraphModule module(
      graph_of(R"([{"name":"e","op":"embedding","out":3},{"name":"h","op":"linear","out":7,"share":"e","bias":true}])",
               {{{"x", model::Input({4}, 7)}}, 7, 1, {4}}),
      {3, 0});
  const nn::Parameter& table = *module.parameters().find("e.weight");
  CHECK(module.parameters().all().size() == 2);
  CHECK(module.parameters().find("h.weight") == nullptr);
  const at::Tensor weight = table.value.clone().set_requires_grad(true);
  const at::Tensor indices = at::tensor({0, 2, 6, 2}, at::kLong).view({1, 4});
  const at::Tensor y = module.forward({indices}, {.training = true, .step = 0});
  module.backward(at::ones_like(y));
  at::linear(at::embedding(weight, indices), weight, module.parameters().find("h.bias")->value)
      .backward(at::ones_like(y));
  CHECK(at::allclose(table.grad, weight.grad(), 1e-5, 1e-6));
}

TEST_CASE("the owner of shared weights draws their first values", "[nn][share]") {
  const model::Interface row{{{"x", {6}}}, 0, 6};
  const std::string first = R"([{"name":"a","op":"linear","out":6},{"name":"t","op":"tanh"},)";
  const nn::GraphModule tied(graph_of(first + R"({"name":"b","op":"linear","out":6,"share":"a"}])", row), {3, 0});
  const nn::GraphModule apart(graph_of(first + R"({"name":"b","op":"linear","out":6}])", row), {3, 0});
  CHECK(at::equal(tied.parameters().find("a.weight")->value, apart.parameters().find("a.weight")->value));
}

}  // namespace share_test
