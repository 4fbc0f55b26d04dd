// SPDX-License-Identifier: Apache-2.0
// The layer of plugins/selective_ssm against NumPy (selective_ssm.py): output and gradients to 1e-5.
#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include "model/graph.hpp"
#include "nn/graph_module.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/json.hpp"

namespace dlrun {

namespace {

model::Graph graph_of(const Json& node, const model::Shape& shape) {
  model::Interface interface;
  interface.inputs["u"] = shape;
  std::vector<model::ModelError> faults;
  model::Graph graph = model::build({{"nodes", Json::array({node})}}, interface, &faults);
  for (const model::ModelError& fault : faults) {
    if (std::string(fault.what()).find("the model's output") == std::string::npos) throw fault;
  }
  return graph;
}

at::Tensor tensor_of(const Json& numbers, at::IntArrayRef sizes) {
  return at::tensor(numbers.get<std::vector<double>>(), at::kDouble).to(at::kFloat).reshape(sizes);
}

void check_near(const at::Tensor& found, const Json& wanted) {
  const at::Tensor expected = at::tensor(wanted.get<std::vector<double>>(), at::kDouble);
  const at::Tensor flat = found.detach().to(at::kDouble).reshape({-1});
  REQUIRE(flat.numel() == expected.numel());
  CHECK((flat - expected).abs().max().item<double>() <= 1e-5 * std::max(1.0, expected.abs().max().item<double>()));
}

}  // namespace

TEST_CASE("the selective state space block agrees with NumPy", "[golden][plugins]") {
  const Json golden = parse_json(read_file(DLRUN_REFERENCES "/selective_ssm.json"), "golden");
  const model::Graph graph = graph_of(
      {{"name", "ssm"}, {"op", "selective_ssm"}, {"expand", 2}, {"state", 2}, {"conv", 3}, {"per_rank", 3}}, {5, 3});
  nn::Parameters parameters(graph);
  const std::unique_ptr<nn::Layer> layer = nn::make_layer({graph.nodes[0], parameters, {}});
  layer->initialise({});
  for (const nn::Parameter& one : parameters.all())
    one.value.copy_(tensor_of(golden["values"][one.name.substr(4)], one.value.sizes()));
  const at::AutoDispatchBelowADInplaceOrView below;  // as in GraphModule
  const at::Tensor u = tensor_of(golden["values"]["u"], {2, 5, 3});
  check_near(layer->forward({u}, {.training = true, .step = 0}), golden["output"]);
  const std::vector<at::Tensor> grads = layer->backward(tensor_of(golden["weights"], {2, 5, 3}), {true});
  check_near(grads.at(0), golden["grads"]["u"]);
  CHECK(parameters.all().size() == 9);
  for (const nn::Parameter& one : parameters.all()) {
    INFO(one.name);
    check_near(one.grad, golden["grads"][one.name.substr(4)]);
  }
  check_near(layer->forward({u}, {}), golden["output"]);
}

TEST_CASE("first numbers of a plugin's tensors follow from the seed alone", "[plugins]") {
  const model::Graph graph = graph_of({{"name", "ssm"}, {"op", "selective_ssm"}, {"state", 2}}, {8, 4});
  const auto values_of = [&](std::uint64_t seed) {
    nn::Parameters parameters(graph);
    nn::make_layer({graph.nodes[0], parameters, {seed, 0}})->initialise({seed, 0});
    return std::pair(parameters.values().clone(), parameters.find("ssm.dt_proj.bias")->value.clone());
  };
  CHECK(values_of(1).first.equal(values_of(1).first));
  CHECK_FALSE(values_of(1).first.equal(values_of(2).first));
  const at::Tensor steps = at::softplus(values_of(1).second);  // section 3.6: 0.001 to 0.1
  CHECK(steps.min().item<double>() >= 0.00099);
  CHECK(steps.max().item<double>() <= 0.1001);
  CHECK(steps.min().item<double>() < steps.max().item<double>());
}

}  // namespace dlrun
