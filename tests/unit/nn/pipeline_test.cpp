// SPDX-License-Identifier: Apache-2.0
// Batches that pass through several devices at the same time have the bits that they have one after the other.
#include <algorithm>

#include <ATen/ATen.h>

#include "nn/pipeline.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace pipeline_test {

using namespace dlrun;
using model::PipelineTasks;
using model::PipelineWork;

namespace {

const model::Interface kTwo{{{"x", {5}}}, 0, 1, {}, {}, {{"early", {3}}, {"late", {0, 4}}}};

/// A skip connection, dropout, running statistics, attention by autograd, shared weights, and an auxiliary output
/// halfway.
model::Graph layers() {
  return model::build(parse_json(R"({"nodes":[{"name":"a","op":"linear","out":6},{"name":"bn","op":"batchnorm"},
      {"name":"d","op":"dropout","p":0.3},{"name":"m","op":"add","from":["a","d"]},
      {"name":"e","op":"linear","out":"classes","from":"m"},
      {"name":"r","op":"reshape","shape":[3,2],"from":"m"},{"name":"t","op":"multi_head_attention","heads":1},{"name":"f","op":"flatten"},
      {"name":"s","op":"linear","out":6},{"name":"u","op":"linear","out":6,"share":"s"},
      {"name":"o","op":"linear","out":"outputs"}],
      "outputs":{"early":{"from":"e","auxiliary":true},"late":"o"}})",
                                 "model"),
                      kTwo);
}

at::Tensor batch_of(std::size_t number) { return at::sin(at::arange(40, at::kFloat) + double(number)).view({8, 5}); }

std::vector<at::Tensor> loss_of(std::size_t batch, const std::vector<at::Tensor>& outputs) {
  std::vector<at::Tensor> grads;
  for (const at::Tensor& output : outputs) grads.push_back(at::cos(output) * double(batch + 1));
  return grads;
}

/// Layers of each device in the order of the list: forward of all batches, then backward, each behind its loss.
PipelineTasks all_forward_first(const std::vector<int>& device_of, std::size_t devices, std::size_t batches) {
  PipelineTasks tasks(devices);
  for (std::size_t batch = 0; batch < batches; ++batch) {
    for (std::size_t i = 0; i < device_of.size(); ++i)
      tasks[std::size_t(device_of[i])].push_back({PipelineWork::forward, batch, i});
  }
  for (std::size_t batch = 0; batch < batches; ++batch) {
    tasks[std::size_t(device_of.back())].push_back({PipelineWork::loss, batch, 0});
    for (std::size_t i = device_of.size(); i-- > 0;)
      tasks[std::size_t(device_of[i])].push_back({PipelineWork::backward, batch, i});
  }
  return tasks;
}

struct Passed {
  std::vector<at::Tensor> grads;
  at::Tensor mean, variance;
};

Passed one_after_another(const model::Graph& graph, std::size_t batches) {
  nn::GraphModule module(graph, {3, 0});
  Passed all;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const auto outputs = module.forward_all({batch_of(batch)}, {.training = true, .step = std::int64_t(batch)});
    module.backward(loss_of(batch, outputs));
    all.grads.push_back(module.parameters().grads().clone());
  }
  all.mean = module.parameters().find("bn.running_mean")->value;
  all.variance = module.parameters().find("bn.running_var")->value;
  return all;
}

std::vector<nn::PartInput> inputs(std::size_t batches) {
  std::vector<nn::PartInput> all;
  for (std::size_t batch = 0; batch < batches; ++batch)
    all.push_back({{batch_of(batch)}, {.training = true, .step = std::int64_t(batch)}});
  return all;
}

void check_grads(const nn::Pipeline& pipeline, const Passed& expected) {
  for (std::size_t batch = 0; batch < expected.grads.size(); ++batch) {
    CHECK(expected.grads[batch].abs().sum().item<float>() > 0);
    CHECK(at::equal(pipeline.grads(batch), expected.grads[batch]));
  }
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
    const auto tasks_of = [&](std::size_t batches) { return all_forward_first(device_of, devices, batches); };
    for (const std::size_t batches : {4, 2, 1}) {
      nn::GraphModule module(graph, {3, 0});
      nn::Pipeline pipeline(graph, {3, 0}, module, threads, 4, tasks_of);
      std::vector<std::size_t> order;
      pipeline.run(inputs(batches), [&](std::size_t batch, const auto& outputs) {
        order.push_back(batch);
        return loss_of(batch, outputs);
      });
      const Passed expected = one_after_another(graph, batches);
      check_grads(pipeline, expected);
      CHECK(std::is_sorted(order.begin(), order.end()));
      CHECK(order.size() == batches);
      CHECK(at::equal(module.parameters().find("bn.running_mean")->value, expected.mean));
      CHECK(at::equal(module.parameters().find("bn.running_var")->value, expected.variance));
    }
  }
}

// The second batch of one could overtake the first batch of the other, whose statistics are the same.
TEST_CASE("batch norms that share see batch after batch in a pipeline", "[nn][placed][pipeline][share]") {
  const model::Graph graph =
      model::build(parse_json(R"({"nodes":[{"name":"a","op":"linear","out":2},{"name":"bn","op":"batchnorm"},
                 {"name":"b","op":"linear","out":2},{"name":"c","op":"batchnorm","share":"bn"}]})",
                              "model"),
                   {{{"x", {5}}}, 2, 1});
  const auto run = [&](const PipelineTasks& tasks) {
    nn::GraphModule module(graph, {3, 0});
    nn::Pipeline pipeline(graph, {3, 0}, module, std::make_shared<nn::DeviceThreads>(int(tasks.size()), 1), 2,
                          [&](std::size_t) { return tasks; });
    pipeline.run(inputs(2), loss_of);
    const Passed expected = one_after_another(graph, 2);
    check_grads(pipeline, expected);
    CHECK(at::equal(module.parameters().find("bn.running_mean")->value, expected.mean));
    CHECK(at::equal(module.parameters().find("bn.running_var")->value, expected.variance));
  };
  run(all_forward_first({0, 0, 1, 1}, 2, 2));
  PipelineTasks overtaking = all_forward_first({0, 0, 0, 0}, 1, 2);
  std::rotate(overtaking[0].begin() + 2, overtaking[0].begin() + 4, overtaking[0].begin() + 6);
  CHECK_THROWS_AS(run(overtaking), Error);  // a and bn of both batches, then b and c
}

TEST_CASE("a fault in a batch's loss ends the step, and the next one goes on", "[nn][placed][pipeline]") {
  const model::Graph graph = layers();
  const std::vector<int> device_of{0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1};
  const auto tasks_of = [&](std::size_t batches) { return all_forward_first(device_of, 2, batches); };
  nn::GraphModule module(graph, {3, 0});
  nn::Pipeline pipeline(graph, {3, 0}, module, std::make_shared<nn::DeviceThreads>(2, 1), 3, tasks_of);
  const auto run = [&](std::size_t bad) {
    pipeline.run(inputs(3), [&](std::size_t batch, const auto& outputs) {
      if (batch == bad) throw Error(ErrorKind::usage, "the loss is nan");
      return loss_of(batch, outputs);
    });
  };
  CHECK_THROWS_WITH(run(1), "the loss is nan");
  run(3);
  check_grads(pipeline, one_after_another(graph, 3));
}

TEST_CASE("orders that mix batches up or would wait for each other are refused", "[nn][placed][pipeline]") {
  const model::Graph graph = model::build(
      parse_json(R"({"nodes":[{"name":"a","op":"linear","out":3},{"name":"b","op":"linear","out":2}]})", "model"),
      {{{"x", {5}}}, 2, 1});
  constexpr auto kForward = PipelineWork::forward, kBackward = PipelineWork::backward, kLoss = PipelineWork::loss;
  const auto run = [&](const PipelineTasks& tasks) {
    nn::GraphModule module(graph, {3, 0});
    nn::Pipeline(graph, {3, 0}, module, std::make_shared<nn::DeviceThreads>(2, 1), 2, [&](std::size_t) {
      return tasks;
    }).run(inputs(2), loss_of);
  };
  const std::vector<model::PipelineTask> last{{kForward, 0, 1}, {kLoss, 0, 0}, {kBackward, 0, 1},
                                              {kForward, 1, 1}, {kLoss, 1, 0}, {kBackward, 1, 1}};
  CHECK_NOTHROW(run({{{kForward, 0, 0}, {kForward, 1, 0}, {kBackward, 0, 0}, {kBackward, 1, 0}}, last}));
  // the second batch first; a backward that is missing; a loss that is missing
  CHECK_THROWS_AS(run({{{kForward, 1, 0}, {kForward, 0, 0}, {kBackward, 0, 0}, {kBackward, 1, 0}}, last}), Error);
  CHECK_THROWS_AS(run({{{kForward, 0, 0}, {kBackward, 0, 0}, {kForward, 1, 0}}, last}), Error);
  CHECK_THROWS_AS(run({{{kForward, 0, 0}, {kForward, 1, 0}, {kBackward, 0, 0}, {kBackward, 1, 0}},
                       {{kForward, 0, 1}, {kBackward, 0, 1}, {kForward, 1, 1}, {kLoss, 1, 0}, {kBackward, 1, 1}}}),
                  Error);
  // each device waits for the other: the second forward comes too late for the first backward
  CHECK_THROWS_AS(
      run({{{kForward, 0, 0}, {kBackward, 0, 0}, {kForward, 1, 0}, {kBackward, 1, 0}},
           {{kForward, 0, 1}, {kForward, 1, 1}, {kLoss, 0, 0}, {kLoss, 1, 0}, {kBackward, 0, 1}, {kBackward, 1, 1}}}),
      Error);
}

}  // namespace pipeline_test
