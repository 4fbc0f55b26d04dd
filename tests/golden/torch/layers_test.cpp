// SPDX-License-Identifier: Apache-2.0
// Every layer kind and every model of the tables against Python torch: output to 1e-6, gradients to 1e-5, relative. On
// a GPU, where there is one, to 1e-5 and 1e-4: golden_torch "[gpu]".
#include <set>

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include "nn/graph_module.hpp"
#include "reference.hpp"
#include "support/catch.hpp"
#include "train/device.hpp"

namespace layers_test {

using namespace dlrun;

namespace {

struct Where {
  at::Device device = at::kCPU;
  double forward = 1e-6, gradient = 1e-5;  ///< bounds
};

/// The output need not fit any data here, so that fault is not asked about.
model::Graph graph_of(const Json& about) {
  model::Interface interface;
  for (const auto& [name, input] : about["inputs"].items()) {
    interface.inputs[name] = {input["shape"].get<model::Shape>(), input["vocabulary"].get<std::int64_t>()};
  }
  std::vector<model::ModelError> faults;
  model::Graph graph = model::build({{"nodes", about["nodes"]}}, interface, &faults);
  for (const model::ModelError& fault : faults) {
    if (std::string(fault.what()).find("the model's output") == std::string::npos) throw fault;
  }
  return graph;
}

class Comparison {
 public:
  Comparison(const Reference& reference, std::size_t number, const Where& where)
      : reference_(reference), number_(number), where_(where) {}

  void run() {
    const model::Graph graph = graph_of(reference_.cases()[number_]);
    graph.nodes.size() == 1 ? run_layer(graph) : run_model(graph);
  }

 private:
  at::Tensor expected(const std::string& name) const { return reference_.tensor(number_, name); }

  at::Tensor there(const std::string& name) const { return expected(name).to(where_.device); }

  std::vector<at::Tensor> inputs(const std::vector<std::string>& names) const {
    std::vector<at::Tensor> given;
    for (const std::string& name : names) given.push_back(there("in/" + name));
    return given;
  }

  /// A layer alone, so that the gradients of its inputs are seen too.
  void run_layer(const model::Graph& graph) {
    const model::Node& node = graph.nodes[0];
    nn::Parameters parameters(graph, where_.device);
    const std::unique_ptr<nn::Layer> layer = nn::make_layer({node, parameters, {}});
    layer->initialise({});
    load(parameters);
    const at::AutoDispatchBelowADInplaceOrView below;  // as in GraphModule
    const std::vector<at::Tensor> given = inputs(node.inputs);
    check(layer->forward(given, {.training = true, .step = 0}), "out", where_.forward);
    std::vector<bool> wanted;
    for (const std::string& input : node.inputs) wanted.push_back(reference_.has(number_, "gradin/" + input));
    const std::vector<at::Tensor> grads = layer->backward(there("up"), wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i]) check(grads.at(i), "gradin/" + node.inputs[i], where_.gradient);
    }
    check_tensors(parameters);
    check_evaluation(layer->forward(given, {}));
  }

  void run_model(const model::Graph& graph) {
    nn::GraphModule module(graph, {}, {.device = where_.device});
    load(module.parameters());
    std::vector<std::string> names;
    for (const auto& [name, input] : graph.interface.inputs) names.push_back(name);
    const std::vector<at::Tensor> given = inputs(names);
    check(module.forward(given, {.training = true, .step = 0}), "out", where_.forward);
    module.backward(there("up"));
    check_tensors(module.parameters());
    check_evaluation(module.forward(given, {}));
  }

  void load(const nn::Parameters& parameters) {
    for (const nn::Parameter& p : parameters.all()) {
      INFO(p.name);
      const at::Tensor value = expected("state/" + p.name);
      REQUIRE(p.value.sizes() == value.sizes());
      p.value.copy_(value);
    }
  }

  void check_tensors(const nn::Parameters& parameters) {
    for (const nn::Parameter& p : parameters.all()) {
      p.trainable ? check(p.grad, "grad/" + p.name, where_.gradient)
                  : check(p.value, "after/" + p.name, where_.forward);
    }
  }

  void check_evaluation(const at::Tensor& found) {
    check(found, reference_.has(number_, "eval") ? "eval" : "out", where_.forward);
  }

  void check(const at::Tensor& found, const std::string& name, double bound) {
    INFO(name);
    REQUIRE(found.defined());
    CHECK(relative_error(found, expected(name)) <= bound);
  }

  const Reference& reference_;
  std::size_t number_;
  Where where_;
};

void compare_all(const Where& where) {
  for (const std::string& table : reference_tables()) {
    const Reference reference(table);
    REQUIRE(!reference.cases().empty());
    for (std::size_t i = 0; i < reference.cases().size(); ++i) {
      if (!reference.cases()[i].contains("nodes")) continue;     // of a loss, an optimiser, …
      if (reference.cases()[i].contains("precision")) continue;  // precision_test
      INFO(table << ": " << reference.cases()[i]["name"].get<std::string>());
      CHECK_NOTHROW(Comparison(reference, i, where).run());
    }
  }
}

}  // namespace

TEST_CASE("every layer and model of the tables equals PyTorch's, forward and backward", "[golden]") { compare_all({}); }

TEST_CASE("every layer and model of the tables on a GPU equals PyTorch's on the CPU", "[.gpu]") {
  REQUIRE(train::find_gpus({.is_deterministic = false}).count > 0);
  compare_all({.device = at::Device(at::kCUDA, 0), .forward = 2e-5, .gradient = 2e-4});
}

TEST_CASE("no layer kind is missing in the tables but those that draw at random", "[golden]") {
  std::set<std::string> compared{"dropout", "dropout2d", "drop_path"}, composite{"group", "residual"};
  for (const std::string& table : reference_tables()) {
    const Reference reference(table);
    for (const Json& about : reference.cases()) {
      for (const Json& node : about.value("nodes", Json::array())) compared.insert(node["op"].get<std::string>());
    }
  }
  for (const options::Variant& kind : model::layer_kinds()) {
    INFO(kind.name);
    CHECK((composite.count(kind.name) == 1 || compared.count(kind.name) == 1));
  }
}

}  // namespace layers_test
