// SPDX-License-Identifier: Apache-2.0
// What masks hide changes nothing, dropout inside of layers draws from its own streams, and nothing is ever NaN.
// Equality with PyTorch is in tests/golden/torch.
#include <cmath>

#include <ATen/ATen.h>

#include "nn/graph_module.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace sequences_test {

using namespace dlrun;
using nn::GraphModule;

namespace {

constexpr std::int64_t kLength = 6, kVocabulary = 9;

at::Tensor random_tensor(std::vector<std::int64_t> sizes, const char* name) {
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  RandomStream stream(1, {"test", name});
  for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.data_ptr<float>()[i] = float(stream.normal());
  return tensor;
}

/// The output need not fit any data here, so that fault is not asked about.
model::Graph graph_of(const std::string& nodes, const model::Interface& interface) {
  std::vector<model::ModelError> faults;
  model::Graph graph = model::build({{"nodes", parse_json(nodes, "nodes")}}, interface, &faults);
  for (const model::ModelError& fault : faults) {
    if (std::string(fault.what()).find("the model's output") == std::string::npos) throw fault;
  }
  return graph;
}

/// An embedding and its mask, then `layers`, which may read both.
GraphModule text_model(const std::string& layers) {
  const std::string begin = R"([{"name":"e","op":"embedding","out":8},{"name":"m","op":"padding_mask","from":"x"},)";
  const std::string end = R"(,{"name":"all","op":"concat","from":["n","w"]}])";
  const std::string wide = R"(,{"name":"w","op":"multi_head_attention","heads":1,"from":["e","m"]})";
  return GraphModule(graph_of(begin + layers + wide + end, {{{"x", model::Input({kLength}, kVocabulary)}}, 0, 1, {}}),
                     {3, 0});
}

at::Tensor tokens(std::vector<std::int64_t> values) { return at::tensor(values, at::kLong).view({-1, kLength}); }

const char* const kCausal[] = {
    R"({"name":"n","op":"multi_head_attention","heads":2,"causal":true,"from":["e","m"]})",
    R"({"name":"n","op":"multi_head_attention","heads":2,"causal":true,"from":"e"})",
    R"({"name":"n","op":"transformer_encoder_layer","heads":2,"feedforward":16,"causal":true,"from":"e"})",
    R"({"name":"n","op":"lstm","hidden":8,"from":"e"})", R"({"name":"n","op":"gru","hidden":8,"from":["e","m"]})"};

const char* const kPadded[] = {
    R"({"name":"n","op":"multi_head_attention","heads":2,"from":["e","m"]})",
    R"({"name":"n","op":"transformer_encoder_layer","heads":2,"feedforward":16,"from":["e","m"]})",
    R"({"name":"n","op":"transformer_decoder_layer","heads":2,"feedforward":16,"causal":false,"from":["e","m","e","m"]})",
    R"({"name":"n","op":"lstm","hidden":4,"bidirectional":true,"layers":2,"from":["e","m"]})",
    R"({"name":"n","op":"gru","hidden":4,"bidirectional":true,"from":["e","m"]})"};

}  // namespace

TEST_CASE("a causal layer says nothing that depends on a later position", "[nn][sequences]") {
  for (const char* layer : kCausal) {
    INFO(layer);
    GraphModule module = text_model(layer);
    const at::Tensor a = tokens({1, 2, 3, 4, 5, 6}), b = tokens({1, 2, 3, 4, 7, 8});
    const at::Tensor ya = module.forward(a, {}).narrow(1, 0, kLength), yb = module.forward(b, {}).narrow(1, 0, kLength);
    CHECK(at::allclose(ya.narrow(1, 0, 4), yb.narrow(1, 0, 4), 0, 1e-6));
    CHECK_FALSE(at::allclose(ya.narrow(1, 4, 2), yb.narrow(1, 4, 2), 0, 1e-3));
  }
}

TEST_CASE("what a padding mask hides changes nothing", "[nn][sequences]") {
  for (const char* layer : kPadded) {
    INFO(layer);
    GraphModule module = text_model(layer);
    const at::Tensor x = tokens({1, 2, 3, 4, 0, 0});
    const at::Tensor before = module.forward(x, {}).narrow(1, 0, 4).clone();
    module.parameters().find("e.weight")->value.select(0, 0).add_(5);  // the padding's own vector
    CHECK(at::allclose(module.forward(x, {}).narrow(1, 0, 4), before, 0, 1e-6));
    const at::Tensor full = tokens({1, 2, 3, 4, 5, 0});
    CHECK_FALSE(at::allclose(module.forward(full, {}).narrow(1, 0, 4), before, 0, 1e-3));
  }
}

TEST_CASE("a batch of nothing but padding gives numbers and gradients", "[nn][sequences]") {
  for (const char* layer : kPadded) {
    INFO(layer);
    GraphModule module = text_model(layer);
    const at::Tensor x = tokens({0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4});  // empty, and padded on the left
    const at::Tensor y = module.forward(x, {.training = true, .step = 0});
    CHECK(at::isfinite(y).all().item<bool>());
    module.backward(random_tensor(y.sizes().vec(), "up"));
    CHECK(at::isfinite(module.parameters().grads()).all().item<bool>());
  }
}

TEST_CASE("attention is finite where a causal position sees only padding", "[nn][sequences]") {
  GraphModule module = text_model(kCausal[0]);
  const at::Tensor y = module.forward(tokens({0, 0, 1, 2, 3, 4}), {.training = true, .step = 0});
  CHECK(at::isfinite(y).all().item<bool>());
  module.backward(random_tensor(y.sizes().vec(), "up"));
  CHECK(at::isfinite(module.parameters().grads()).all().item<bool>());
}

namespace {

const char* const kRandom[] = {
    R"([{"name":"n","op":"lstm","hidden":4,"layers":2,"dropout":0.5}])",
    R"([{"name":"n","op":"multi_head_attention","heads":2,"dropout":0.5,"causal":true}])",
    R"([{"name":"n","op":"transformer_encoder_layer","heads":2,"feedforward":6,"dropout":0.3,"activation":"geglu"}])",
    R"([{"name":"n","op":"transformer_decoder_layer","heads":2,"feedforward":6,"dropout":0.3,"activation":"silu",
        "from":["x","x"]}])",
    R"([{"name":"n","op":"graph_attention","heads":2,"out":3,"dropout":0.4,"from":["x","adjacency"]}])"};

model::Interface interface_for(const std::string& nodes) {
  model::Interface interface {
    {{"x", {5, 4}}}, 0, 1, {}
  };
  if (nodes.find("adjacency") != std::string::npos) interface.inputs["adjacency"] = {5, 5};
  return interface;
}

std::vector<at::Tensor> inputs_for(const model::Graph& graph) {
  std::vector<at::Tensor> inputs;
  for (const auto& [name, input] : graph.interface.inputs) {
    std::vector<std::int64_t> sizes{3};
    sizes.insert(sizes.end(), input.shape.begin(), input.shape.end());
    inputs.push_back(random_tensor(sizes, name.c_str()));
    if (name == "adjacency") inputs.back() = inputs.back().gt(0).to(at::kFloat);
  }
  return inputs;
}

}  // namespace

TEST_CASE("dropout inside a layer is a function of seed, replicate, name and step", "[nn][sequences]") {
  for (const std::string nodes : kRandom) {
    INFO(nodes);
    const model::Graph graph = graph_of(nodes, interface_for(nodes));
    const auto inputs = inputs_for(graph);
    GraphModule one(graph, {3, 0}), same(graph, {3, 0}), other(graph, {3, 1});
    other.parameters().values().copy_(one.parameters().values());
    const auto y = [&](GraphModule& module, std::int64_t step) {
      return module.forward(inputs, {.training = true, .step = step}).clone();
    };
    (void)y(same, 7);
    CHECK(at::equal(y(one, 2), y(same, 2)));
    CHECK_FALSE(at::equal(y(one, 2), y(one, 3)));
    CHECK_FALSE(at::equal(y(one, 2), y(other, 2)));
    CHECK_FALSE(at::equal(y(one, 2), one.forward(inputs, {})));
    CHECK(at::equal(one.forward(inputs, {}), one.forward(inputs, {})));
  }
}

TEST_CASE("gradients under dropout agree with finite differences", "[nn][sequences]") {
  for (const std::string nodes : kRandom) {
    INFO(nodes);
    const model::Graph graph = graph_of(nodes, interface_for(nodes));
    const auto inputs = inputs_for(graph);
    GraphModule module(graph, {3, 0});
    const nn::Pass pass{.training = true, .step = 4};
    const at::Tensor up = random_tensor(module.forward(inputs, pass).sizes().vec(), "up");
    module.forward(inputs, pass);
    module.backward(up);
    const at::Tensor grads = module.parameters().grads().clone();
    float* values = module.parameters().values().data_ptr<float>();
    const auto value = [&] { return (module.forward(inputs, pass) * up).sum().item<double>(); };
    for (std::int64_t i = 0; i < grads.numel(); i += 11) {
      const float before = values[i], h = 1e-2f;
      values[i] = before + h;
      const double ahead = value();
      values[i] = before - h;
      const double behind = value();
      values[i] = before;
      CHECK(grads.data_ptr<float>()[i] == Approx((ahead - behind) / (2 * double(h))).epsilon(0.02).margin(2e-2));
    }
  }
}

TEST_CASE("half of what dropout sees between recurrent layers is zero, the rest doubled", "[nn][sequences]") {
  const std::string two = R"([{"name":"n","op":"lstm","hidden":64,"layers":2,"dropout":0.5}])";
  GraphModule module(graph_of(two, interface_for(two)), {3, 0});
  const auto inputs = inputs_for(graph_of(two, interface_for(two)));
  const at::Tensor plain = module.forward(inputs, {});
  at::Tensor mean = at::zeros_like(plain);
  constexpr int kSteps = 400;
  for (int i = 0; i < kSteps; ++i) mean += module.forward(inputs, {.training = true, .step = i}) / kSteps;
  CHECK((mean - plain).abs().max().item<double>() < 0.05);
}

TEST_CASE("the first values of attention, recurrence and embeddings are PyTorch's distributions", "[nn][sequences]") {
  const std::string nodes =
      R"([{"name":"e","op":"embedding","out":64,"padding_idx":0},{"name":"a","op":"multi_head_attention","heads":2},
          {"name":"r","op":"lstm","hidden":100}])";
  GraphModule module(graph_of(nodes, {{{"x", model::Input({kLength}, 500)}}, 0, 1, {}}), {3, 0});
  const auto tensor = [&](const char* name) { return module.parameters().find(name)->value; };
  CHECK(tensor("e.weight").std().item<double>() == Approx(1).epsilon(0.02));
  CHECK(at::equal(tensor("e.weight")[0], at::zeros({64})));
  CHECK(tensor("a.in_proj_weight").abs().max().item<double>() == Approx(std::sqrt(6.0 / 256)).epsilon(0.01));
  CHECK(tensor("a.out_proj.weight").abs().max().item<double>() == Approx(1 / 8.0).epsilon(0.01));
  CHECK(tensor("a.in_proj_bias").abs().max().item<double>() == 0);
  CHECK(tensor("r.bias_hh_l0").abs().max().item<double>() == Approx(0.1).epsilon(0.02));
}

}  // namespace sequences_test
