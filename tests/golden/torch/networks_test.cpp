// SPDX-License-Identifier: Apache-2.0
// Networks of configs/models against the same nets in Python torch: its state_dict is loaded by name, whole and strict,
// and outputs and gradients agree.
#include <ATen/ATen.h>

#include "nn/graph_module.hpp"
#include "reference.hpp"
#include "support/catch.hpp"
#include "support/model_file.hpp"

using namespace dlrun;

namespace {

constexpr double kForward = 1e-6, kGradient = 1e-5;

model::Graph graph_of(const Json& about) {
  model::Interface interface;
  for (const auto& [name, input] : about["inputs"].items()) {
    interface.inputs[name] = {input["shape"].get<model::Shape>(), input["vocabulary"].get<std::int64_t>()};
  }
  interface.classes = about["classes"].get<std::int64_t>();
  interface.targets = about["targets"].get<std::int64_t>();
  interface.target_shape = about["target_shape"].get<model::Shape>();
  return model::build(model_file(DLRUN_MODELS, about["model"].get<std::string>(), about["let"]), interface);
}

void compare(const Reference& reference, std::size_t number) {
  const model::Graph graph = graph_of(reference.cases()[number]);
  nn::GraphModule module(graph, {});
  const auto check = [&](const at::Tensor& found, const std::string& name, double bound) {
    INFO(name);
    CHECK(relative_error(found, reference.tensor(number, name)) <= bound);
  };
  for (const nn::Parameter& p : module.parameters().all()) {
    INFO(p.name);
    p.value.copy_(reference.tensor(number, "state/" + p.name));
  }
  std::vector<at::Tensor> inputs;
  for (const auto& [name, input] : graph.interface.inputs) inputs.push_back(reference.tensor(number, "in/" + name));
  check(module.forward(inputs, {.training = true, .step = 0}), "out", kForward);
  module.backward(reference.tensor(number, "up"));
  for (const nn::Parameter& p : module.parameters().all()) {
    p.trainable ? check(p.grad, "grad/" + p.name, kGradient) : check(p.value, "after/" + p.name, kForward);
  }
  check(module.forward(inputs, {}), reference.has(number, "eval") ? "eval" : "out", kForward);
}

}  // namespace

TEST_CASE("networks for tables, texts, series and graphs equal PyTorch's under its names", "[golden]") {
  const Reference reference("networks");
  REQUIRE(reference.cases().size() == 9);
  for (std::size_t i = 0; i < reference.cases().size(); ++i) {
    INFO(reference.cases()[i]["model"].get<std::string>());
    compare(reference, i);
  }
}
