// SPDX-License-Identifier: Apache-2.0
// Networks of configs/models against the same nets in Python torch: its state_dict is loaded by name, whole and strict,
// and outputs and gradients agree.
#include <ATen/ATen.h>

#include "nn/graph_module.hpp"
#include "reference.hpp"
#include "support/catch.hpp"
#include "support/model_file.hpp"
#include "train/device.hpp"

namespace networks_test {

using namespace dlrun;

namespace {

struct Where {
  at::Device device = at::kCPU;
  double forward = 1e-6, gradient = 1e-5;  ///< bounds
};

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

void compare(const Reference& reference, std::size_t number, const Where& where) {
  const model::Graph graph = graph_of(reference.cases()[number]);
  nn::GraphModule module(graph, {}, {.device = where.device});
  const auto check = [&](const at::Tensor& found, const std::string& name, double bound) {
    INFO(name);
    CHECK(relative_error(found, reference.tensor(number, name)) <= bound);
  };
  for (const nn::Parameter& p : module.parameters().all()) {
    INFO(p.name);
    p.value.copy_(reference.tensor(number, "state/" + p.name));
  }
  std::vector<at::Tensor> inputs;
  for (const auto& [name, input] : graph.interface.inputs)
    inputs.push_back(reference.tensor(number, "in/" + name).to(where.device));
  check(module.forward(inputs, {.training = true, .step = 0}), "out", where.forward);
  module.backward(reference.tensor(number, "up").to(where.device));
  for (const nn::Parameter& p : module.parameters().all()) {
    p.trainable ? check(p.grad, "grad/" + p.name, where.gradient) : check(p.value, "after/" + p.name, where.forward);
  }
  check(module.forward(inputs, {}), reference.has(number, "eval") ? "eval" : "out", where.forward);
}

void compare_all(const Where& where) {
  const Reference reference("networks");
  REQUIRE(reference.cases().size() == 9);
  for (std::size_t i = 0; i < reference.cases().size(); ++i) {
    INFO(reference.cases()[i]["model"].get<std::string>());
    compare(reference, i, where);
  }
}

}  // namespace

TEST_CASE("networks for tables, texts, series and graphs equal PyTorch's under its names", "[golden]") {
  compare_all({});
}

TEST_CASE("networks for tables, texts, series and graphs on a GPU equal PyTorch's on the CPU", "[.gpu]") {
  REQUIRE(train::find_gpus({.is_deterministic = false}).count > 0);
  compare_all({.device = at::Device(at::kCUDA, 0), .forward = 2e-5, .gradient = 2e-4});
}

}  // namespace networks_test
