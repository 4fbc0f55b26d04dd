// SPDX-License-Identifier: Apache-2.0
// Models with several outputs against Python torch: the sum of their losses, and its gradients.
#include <ATen/ATen.h>

#include "nn/graph_module.hpp"
#include "reference.hpp"
#include "support/catch.hpp"
#include "train/heads.hpp"

namespace outputs_test {

using namespace dlrun;

namespace {

constexpr double kForward = 1e-6, kGradient = 1e-5;

template <class T>
dataset::Array array_of(const at::Tensor& numbers) {
  const T* begin = numbers.const_data_ptr<T>();
  return dataset::Array::of(std::vector<T>(begin, begin + numbers.numel()), numbers.numel() / numbers.size(0));
}

/// The case's rows, all of them for training.
dataset::Dataset dataset_of(const Reference& reference, std::size_t number) {
  dataset::Dataset set;
  set.schema.inputs = {{"x", {5}}};
  set.inputs = {array_of<float>(reference.tensor(number, "in/x"))};
  set.schema.several = {{.name = "size", .width = 2}, {.name = "species", .classes = 3}};
  set.several = {array_of<float>(reference.tensor(number, "target/size")),
                 array_of<std::int64_t>(reference.tensor(number, "target/species"))};
  set.schema.classes = 3;
  set.targets = set.several[1];
  for (std::int64_t row = 0; row < set.targets.examples; ++row) set.train.push_back(row);
  return set;
}

model::Interface interface_of() {
  model::Interface interface {
    {
      {
        "x", { 5 }
      }
    }
  };
  interface.outputs = {{"species", {3, 1, {}}}, {"early", {3, 1, {}}}, {"size", {0, 2, {}}}};
  return interface;
}

void compare(const Reference& reference, std::size_t number) {
  const data::Data data(dataset_of(reference, number));
  const train::Config config = train::read_config(reference.cases()[number]["trial"], data.schema());
  const model::Graph graph = model::build(config.model, interface_of());
  nn::GraphModule module(graph, {});
  for (const nn::Parameter& p : module.parameters().all()) p.value.copy_(reference.tensor(number, "state/" + p.name));
  const data::Examples rows = data.buffers(data.size());
  data.gather(data.train_rows().data(), rows);

  train::Heads heads(config.outputs, graph, data);
  train::SplitSums sums(config.outputs, data.schema(), true);
  std::vector<at::Tensor> grads;
  const auto outputs = module.forward_all(rows.inputs, {.training = true, .step = 0});
  const double total = reference.tensor(number, "total").item<float>();
  CHECK(heads.measure(outputs, rows, sums, &grads).mean == Approx(total).epsilon(kForward));
  CHECK(sums.loss() == Approx(total).epsilon(kForward));
  module.backward(grads);
  for (const nn::Parameter& p : module.parameters().all()) {
    INFO(p.name);
    CHECK(relative_error(p.grad, reference.tensor(number, "grad/" + p.name)) <= kGradient);
  }
}

}  // namespace

TEST_CASE("the loss of several outputs and its gradients equal PyTorch's", "[golden]") {
  const Reference reference("outputs");
  REQUIRE(reference.cases().size() == 2);
  for (std::size_t i = 0; i < reference.cases().size(); ++i) {
    INFO(reference.cases()[i]["name"].get<std::string>());
    compare(reference, i);
  }
}

}  // namespace outputs_test
