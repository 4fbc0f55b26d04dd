// SPDX-License-Identifier: Apache-2.0
// Passes over several devices give the bits of one device, whatever is placed where.
#include <ATen/ATen.h>

#include <functional>

#include "nn/graph_module.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace placed_test {

using namespace dlrun;

namespace {

model::Graph graph_of(const std::string& nodes, const model::Interface& interface) {
  return model::build(parse_json(R"({"nodes":)" + nodes + "}", "model"), interface);
}

/// Branches that meet, a value with three readers, dropout, running statistics and shared weights.
model::Graph branches() {
  return graph_of(R"([{"name":"a","op":"conv2d","out":6,"k":3,"pad":"same"},{"name":"bn","op":"batchnorm"},
      {"name":"l","op":"conv2d","from":"bn","out":6,"k":3,"pad":"same"},
      {"name":"r","op":"dropout","from":"bn","p":0.3},
      {"name":"m","op":"add","from":["l","r","bn"]},
      {"name":"f","op":"flatten"},{"name":"h","op":"linear","out":10},{"name":"t","op":"tanh"},
      {"name":"s","op":"linear","out":10,"from":"t"},{"name":"u","op":"linear","from":"s","out":10,"share":"s"},
      {"name":"o","op":"linear","out":4,"from":"u"}])",
                  {{{"x", {3, 5, 5}}}, 4, 1});
}

/// Each layer to a device that the seed draws, in the order of the list.
nn::DeviceOrders drawn_orders(std::size_t layers, int devices, std::uint64_t seed) {
  RandomStream chance(seed, {"placed_test"});
  nn::DeviceOrders orders;
  orders.forward.resize(std::size_t(devices));
  orders.backward.resize(std::size_t(devices));
  std::vector<std::size_t> device(layers);
  for (std::size_t i = 0; i < layers; ++i) device[i] = chance.below(std::uint64_t(devices));
  for (std::size_t i = 0; i < layers; ++i) orders.forward[device[i]].push_back(i);
  for (std::size_t i = layers; i-- > 0;) orders.backward[device[i]].push_back(i);
  return orders;
}

struct Passed {
  std::vector<at::Tensor> outputs, grads;
  at::Tensor values;
};

Passed pass_steps(nn::GraphModule& module, const at::Tensor& x, int steps) {
  Passed all;
  for (int step = 0; step < steps; ++step) {
    all.outputs.push_back(module.forward({x}, {.training = true, .step = step}));
    module.backward(at::cos(all.outputs.back()));
    all.grads.push_back(module.parameters().grads().clone());
    all.outputs.push_back(module.forward({x}, {}));
  }
  all.values = module.parameters().values().clone();
  return all;
}

bool are_equal(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  bool all = a.size() == b.size();
  for (std::size_t i = 0; all && i < a.size(); ++i) all = at::equal(a[i], b[i]);
  return all;
}

}  // namespace

TEST_CASE("a placed model gives the bits of one device", "[nn][placed]") {
  const model::Graph graph = branches();
  const at::Tensor x = at::sin(at::arange(8 * 75, at::kFloat)).view({8, 3, 5, 5});
  nn::GraphModule alone(graph, {3, 0});
  const Passed expected = pass_steps(alone, x, 3);
  const int devices = GENERATE(1, 2, 3);
  const auto threads = std::make_shared<nn::DeviceThreads>(devices, 1);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    nn::GraphModule placed(graph, {3, 0});
    placed.place(threads, drawn_orders(graph.nodes.size(), devices, seed));
    const Passed found = pass_steps(placed, x, 3);
    CHECK(are_equal(found.outputs, expected.outputs));
    CHECK(are_equal(found.grads, expected.grads));
    CHECK(at::equal(found.values, expected.values));  // running statistics among them
  }
}

TEST_CASE("an input that does not fit ends a placed pass, and the next one goes on", "[nn][placed]") {
  const model::Graph graph = branches();
  nn::GraphModule module(graph, {3, 0});
  module.place(std::make_shared<nn::DeviceThreads>(2, 1), drawn_orders(graph.nodes.size(), 2, 1));
  CHECK_THROWS(module.forward({at::ones({2, 4, 5, 5})}, {.training = true, .step = 0}));
  CHECK(module.forward({at::ones({2, 3, 5, 5})}, {}).sizes() == at::IntArrayRef({2, 4}));
}

TEST_CASE("orders that would wait for each other are refused", "[nn][placed]") {
  const model::Graph graph =
      graph_of(R"([{"name":"a","op":"linear","out":3},{"name":"b","op":"tanh"},{"name":"c","op":"linear","out":2}])",
               {{{"x", {3}}}, 2, 1});
  const auto threads = std::make_shared<nn::DeviceThreads>(2, 1);
  const auto place = [&](nn::DeviceOrders orders) {
    nn::GraphModule module(graph, {3, 0});
    module.place(threads, std::move(orders));
  };
  CHECK_NOTHROW(place({{{0, 2}, {1}}, {{2, 0}, {1}}}));
  CHECK_THROWS_AS(place({{{2, 0}, {1}}, {{2, 0}, {1}}}), Error);     // c before a, which it needs
  CHECK_THROWS_AS(place({{{0, 2}, {1}}, {{0, 2}, {1}}}), Error);     // a's gradient before c's
  CHECK_THROWS_AS(place({{{0}, {1}}, {{2, 0}, {1}}}), Error);        // c is nowhere
  CHECK_THROWS_AS(place({{{0, 2}, {1, 1}}, {{2, 0}, {1}}}), Error);  // b twice
}

TEST_CASE("batch norms that share compute in the order of one device", "[nn][placed][share]") {
  const model::Graph graph =
      graph_of(R"([{"name":"a","op":"batchnorm"},{"name":"b","op":"batchnorm","from":"input","share":"a"},
      {"name":"o","op":"add","from":["a","b"]}])",
               {{{"x", {3}}}, 3, 1});
  const auto place = [&](nn::DeviceOrders orders) {
    nn::GraphModule module(graph, {3, 0});
    module.place(std::make_shared<nn::DeviceThreads>(2, 1), std::move(orders));
  };
  CHECK_NOTHROW(place({{{0, 2}, {1}}, {{2, 0}, {1}}}));
  CHECK_NOTHROW(place({{{0, 1, 2}, {}}, {{2, 0, 1}, {}}}));
  CHECK_THROWS_AS(place({{{1, 0, 2}, {}}, {{2, 1, 0}, {}}}), Error);
}

TEST_CASE("what a device throws is thrown by run", "[nn][placed]") {
  nn::DeviceThreads threads(3, 1);
  const std::function<void(int)> fails = [](int device) {
    if (device == 1) throw Error(ErrorKind::usage, "device 1");
  };
  CHECK_THROWS_WITH(threads.run_on_devices(fails), "device 1");
  std::vector<int> seen(3, 0);
  threads.run_on_devices([&](int device) { seen[std::size_t(device)] = device + 1; });
  CHECK(seen == std::vector<int>{1, 2, 3});
}

}  // namespace placed_test
