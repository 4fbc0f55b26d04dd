// SPDX-License-Identifier: Apache-2.0
// Batches that pass through several devices at the same time have the bits that they have one after the other.
#include <ATen/ATen.h>

#include "nn/pipeline.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace pipeline_test {

using namespace dlrun;

namespace {

model::Graph graph_of(const std::string& nodes, const model::Interface& interface) {
  return model::build(parse_json(R"({"nodes":)" + nodes + "}", "model"), interface);
}

/// A skip connection, dropout, running statistics, shared weights and two outputs.
model::Graph layers() {
  return graph_of(
      R"([{"name":"a","op":"linear","out":6},{"name":"bn","op":"batchnorm"},{"name":"d","op":"dropout","p":0.3},
      {"name":"m","op":"add","from":["a","d"]},{"name":"s","op":"linear","out":6},
      {"name":"u","op":"linear","out":6,"share":"s"},{"name":"o","op":"linear","out":4}])",
      {{{"x", {5}}}, 4, 1});
}

at::Tensor batch(std::size_t number) { return at::sin(at::arange(40, at::kFloat) + double(number)).view({8, 5}); }

std::vector<at::Tensor> loss_of(std::size_t part, const std::vector<at::Tensor>& outputs) {
  return {at::cos(outputs.at(0)) * double(part + 1)};
}

/// Layers of each device in the order of the list: forward of all batches, then backward.
nn::PartOrders all_forward_first(const std::vector<int>& device_of, std::size_t devices, std::size_t parts) {
  nn::PartOrders orders(devices);
  for (std::size_t part = 0; part < parts; ++part) {
    for (std::size_t i = 0; i < device_of.size(); ++i) orders[std::size_t(device_of[i])].push_back({part, i, false});
  }
  for (std::size_t part = 0; part < parts; ++part) {
    for (std::size_t i = device_of.size(); i-- > 0;) orders[std::size_t(device_of[i])].push_back({part, i, true});
  }
  return orders;
}

struct Passed {
  std::vector<at::Tensor> grads;
  at::Tensor mean;
};

Passed one_after_another(const model::Graph& graph, std::size_t parts) {
  nn::GraphModule module(graph, {3, 0});
  Passed all;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::vector<at::Tensor> outputs =
        module.forward_all({batch(part)}, {.training = true, .step = std::int64_t(part)});
    module.backward(loss_of(part, outputs));
    all.grads.push_back(module.parameters().grads().clone());
  }
  all.mean = module.parameters().find("bn.running_mean")->value;
  return all;
}

std::vector<nn::PartInput> inputs(std::size_t parts) {
  std::vector<nn::PartInput> all;
  for (std::size_t part = 0; part < parts; ++part)
    all.push_back({{batch(part)}, {.training = true, .step = std::int64_t(part)}});
  return all;
}

}  // namespace

TEST_CASE("batches in a pipeline have the gradients of batches one after the other", "[nn][placed][pipeline]") {
  const model::Graph graph = layers();
  const auto devices = std::size_t(GENERATE(1, 2, 3));
  const auto threads = std::make_shared<nn::DeviceThreads>(int(devices), 1);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    RandomStream chance(seed, {"pipeline_test"});
    std::vector<int> device_of;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) device_of.push_back(int(chance.below(devices)));
    nn::GraphModule module(graph, {3, 0});
    nn::Pipeline pipeline(graph, {3, 0}, module, threads, 4);
    for (const std::size_t parts : {4, 2, 1}) {  // a step at the end of an epoch has fewer
      nn::GraphModule fresh(graph, {3, 0});
      module.parameters().find("bn.running_mean")->value.copy_(fresh.parameters().find("bn.running_mean")->value);
      const Passed expected = one_after_another(graph, parts);
      std::vector<std::size_t> order;
      pipeline.run(inputs(parts), all_forward_first(device_of, devices, parts),
                   [&](std::size_t part, const auto& outputs) {
                     order.push_back(part);
                     return loss_of(part, outputs);
                   });
      for (std::size_t part = 0; part < parts; ++part) {
        CHECK(order.at(part) == part);
        CHECK(at::equal(pipeline.grads(part), expected.grads[part]));
      }
      CHECK(at::equal(module.parameters().find("bn.running_mean")->value, expected.mean));
    }
  }
}

TEST_CASE("a fault in a batch's loss ends the step, and the next one goes on", "[nn][placed][pipeline]") {
  const model::Graph graph = layers();
  nn::GraphModule module(graph, {3, 0});
  nn::Pipeline pipeline(graph, {3, 0}, module, std::make_shared<nn::DeviceThreads>(2, 1), 3);
  const std::vector<int> device_of{0, 0, 0, 0, 1, 1, 1};
  const auto run = [&](std::size_t bad) {
    pipeline.run(inputs(3), all_forward_first(device_of, 2, 3), [&](std::size_t part, const auto& outputs) {
      if (part == bad) throw Error(ErrorKind::usage, "the loss is nan");
      return loss_of(part, outputs);
    });
  };
  CHECK_THROWS_WITH(run(1), "the loss is nan");
  CHECK_NOTHROW(run(3));
}

TEST_CASE("orders that mix batches up or would wait for each other are refused", "[nn][placed][pipeline]") {
  const model::Graph graph =
      graph_of(R"([{"name":"a","op":"linear","out":3},{"name":"b","op":"linear","out":2}])", {{{"x", {5}}}, 2, 1});
  nn::GraphModule module(graph, {3, 0});
  nn::Pipeline pipeline(graph, {3, 0}, module, std::make_shared<nn::DeviceThreads>(2, 1), 2);
  const auto run = [&](const nn::PartOrders& orders) { pipeline.run(inputs(2), orders, loss_of); };
  CHECK_NOTHROW(run({{{0, 0, false}, {1, 0, false}, {0, 0, true}, {1, 0, true}},
                     {{0, 1, false}, {0, 1, true}, {1, 1, false}, {1, 1, true}}}));
  CHECK_THROWS_AS(run({{{1, 0, false}, {0, 0, false}, {0, 0, true}, {1, 0, true}},  // the second batch first
                       {{0, 1, false}, {0, 1, true}, {1, 1, false}, {1, 1, true}}}),
                  Error);
  CHECK_THROWS_AS(run({{{0, 0, false}, {0, 0, true}, {1, 0, false}, {1, 0, true}},  // each device waits for the other
                       {{0, 1, false}, {1, 1, false}, {0, 1, true}, {1, 1, true}}}),
                  Error);
  CHECK_THROWS_AS(run({{{0, 0, false}, {0, 0, true}, {1, 0, false}},  // a backward is missing
                       {{0, 1, false}, {0, 1, true}, {1, 1, false}, {1, 1, true}}}),
                  Error);
}

}  // namespace pipeline_test
