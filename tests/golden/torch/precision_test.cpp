// SPDX-License-Identifier: Apache-2.0
// Mixed precision: nets against Python torch under torch.autocast, and every layer kind against its own float32.
#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

#include "nn/graph_module.hpp"
#include "reference.hpp"
#include "support/catch.hpp"
#include "train/device.hpp"

namespace precision_test {

using namespace dlrun;

namespace {

struct Bound {
  nn::Precision precision;
  double equal;  ///< to PyTorch's numbers of the same precision
  double near;   ///< to those of float32, forward; gradients of deep nets lie three times as far
};

/// bfloat16 keeps 8 bits of a number, float16 11: a few roundings of 2^-9 and 2^-12.
Bound bound_of(const std::string& precision) {
  if (precision == "bf16") return {nn::Precision::bf16, 2e-2, 6e-2};
  return {nn::Precision::fp16, 2e-3, 8e-3};
}

model::Graph graph_of(const Json& about) {
  model::Interface interface;
  for (const auto& [name, input] : about["inputs"].items()) {
    interface.inputs[name] = {input["shape"].get<model::Shape>(), input["vocabulary"].get<std::int64_t>()};
  }
  std::vector<model::ModelError> faults;  // the output need not fit any data
  return model::build({{"nodes", about["nodes"]}}, interface, &faults);
}

std::vector<at::Tensor> inputs_of(const Reference& reference, std::size_t number, const model::Graph& graph) {
  std::vector<at::Tensor> given;
  for (const auto& [name, input] : graph.interface.inputs) given.push_back(reference.tensor(number, "in/" + name));
  return given;
}

void load(const Reference& reference, std::size_t number, const nn::Parameters& parameters) {
  for (const nn::Parameter& p : parameters.all()) p.value.copy_(reference.tensor(number, "state/" + p.name));
}

/// Of all gradients together: those of a bias before batch norm are 0 but for rounding.
at::Tensor gradients(const nn::Parameters& parameters) { return parameters.grads().clone(); }

at::Tensor expected_gradients(const Reference& reference, std::size_t number, const nn::Parameters& like) {
  at::Tensor all = at::zeros(like.grads().sizes());
  for (const nn::Parameter& p : like.all()) {
    if (!p.trainable) continue;
    all.narrow(0, p.offset, p.value.numel()).copy_(reference.tensor(number, "grad/" + p.name).reshape(-1));
  }
  return all;
}

}  // namespace

TEST_CASE("nets in mixed precision equal PyTorch's under autocast", "[golden][precision]") {
  const Reference reference("mixed");
  REQUIRE(reference.cases().size() == 7);
  for (std::size_t i = 0; i < reference.cases().size(); ++i) {
    const Json& about = reference.cases()[i];
    INFO(about["name"].get<std::string>());
    const Bound bound = bound_of(about["precision"].get<std::string>());
    const model::Graph graph = graph_of(about);
    nn::GraphModule module(graph, {}, {.precision = bound.precision});
    load(reference, i, module.parameters());
    const std::vector<at::Tensor> given = inputs_of(reference, i, graph);
    const at::Tensor out = module.forward(given, {.training = true, .step = 0});
    CHECK(out.scalar_type() == at::kFloat);
    CHECK(relative_error(out, reference.tensor(i, "out")) <= bound.equal);
    module.backward(reference.tensor(i, "up"));
    const at::Tensor wanted = expected_gradients(reference, i, module.parameters());
    CHECK(relative_error(gradients(module.parameters()), wanted) <= bound.equal);
    for (const nn::Parameter& p : module.parameters().all()) {
      INFO(p.name);
      if (!p.trainable) CHECK(relative_error(p.value, reference.tensor(i, "after/" + p.name)) <= bound.equal);
    }
    const at::Tensor measured = module.forward(given, {});
    CHECK(relative_error(measured, reference.tensor(i, reference.has(i, "eval") ? "eval" : "out")) <= bound.equal);
    CHECK_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  }
}

TEST_CASE("a net in mixed precision is not one in float32", "[golden][precision]") {
  const Reference reference("mixed");
  for (std::size_t i = 0; i < reference.cases().size(); ++i) {
    const Json& about = reference.cases()[i];
    INFO(about["name"].get<std::string>());
    const model::Graph graph = graph_of(about);
    const nn::Precision precision = bound_of(about["precision"].get<std::string>()).precision;
    nn::GraphModule whole(graph, {}), mixed(graph, {}, {.precision = precision});
    load(reference, i, whole.parameters());
    load(reference, i, mixed.parameters());
    const std::vector<at::Tensor> given = inputs_of(reference, i, graph);
    const at::Tensor out = whole.forward(given, {.training = true, .step = 0});
    CHECK(relative_error(out, reference.tensor(i, "fp32")) <= 1e-5);
    CHECK(relative_error(mixed.forward(given, {.training = true, .step = 0}), out) > 1e-5);
  }
}

namespace {

void compare_with_float32(const std::string& precision, at::Device device) {
  const Bound bound = bound_of(precision);
  for (const std::string& table : reference_tables()) {
    const Reference reference(table);
    for (std::size_t i = 0; i < reference.cases().size(); ++i) {
      const Json& about = reference.cases()[i];
      if (!about.contains("nodes") || about.contains("precision")) continue;
      INFO(precision << " " << table << ": " << about["name"].get<std::string>());
      const model::Graph graph = graph_of(about);
      nn::GraphModule module(graph, {}, {.precision = bound.precision, .device = device});
      load(reference, i, module.parameters());
      std::vector<at::Tensor> given = inputs_of(reference, i, graph);
      for (at::Tensor& input : given) input = input.to(device);
      CHECK(relative_error(module.forward(given, {.training = true, .step = 0}), reference.tensor(i, "out")) <=
            bound.near);
      module.backward(reference.tensor(i, "up").to(device));
      if (module.parameters().grads().numel() == 0) continue;
      const at::Tensor wanted = expected_gradients(reference, i, module.parameters());
      CHECK(relative_error(gradients(module.parameters()), wanted) <= 3 * bound.near);
    }
  }
}

}  // namespace

TEST_CASE("every layer kind computes in every precision, near to its float32", "[golden][precision]") {
  compare_with_float32(GENERATE("bf16", "fp16"), at::kCPU);
}

TEST_CASE("every layer kind on a GPU computes in every precision, near to its float32", "[.gpu]") {
  REQUIRE(train::find_gpus({.is_deterministic = false}).count > 0);
  compare_with_float32(GENERATE("bf16", "fp16"), at::Device(at::kCUDA, 0));
}

TEST_CASE("no layer kind touches numbers by itself where they are on another device", "[golden][device]") {
  // Tensors of the device meta have shapes and no numbers: who looks at one, or mixes devices, is found out. PyTorch
  // itself has some operations for numbers alone; those say so.
  std::size_t compared = 0, without = 0;
  for (const std::string& table : reference_tables()) {
    const Reference reference(table);
    for (std::size_t i = 0; i < reference.cases().size(); ++i) {
      const Json& about = reference.cases()[i];
      if (!about.contains("nodes")) continue;
      INFO(table << ": " << about["name"].get<std::string>());
      const model::Graph graph = graph_of(about);
      nn::GraphModule module(graph, {}, {nn::Precision::fp32, at::kMeta});
      std::vector<at::Tensor> given;
      for (const at::Tensor& input : inputs_of(reference, i, graph)) given.push_back(input.to(at::kMeta));
      try {
        const at::Tensor out = module.forward(given, {.training = true, .step = 0});
        CHECK(out.sizes() == reference.tensor(i, "out").sizes());
        CHECK(out.is_meta());
        module.backward(at::empty_like(out));
        CHECK(module.forward(given, {}).is_meta());
        ++compared;
      } catch (const c10::Error& fault) {
        CHECK_THAT(fault.what_without_backtrace(), Contains("not implemented") || Contains("Meta kernel"));
        ++without;
      }
    }
  }
  CHECK(compared > without);
}

}  // namespace precision_test
