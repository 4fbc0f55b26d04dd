// SPDX-License-Identifier: Apache-2.0
#include "nn/pipeline.hpp"

#include <algorithm>

#include <ATen/core/LegacyTypeDispatch.h>

namespace dlrun::nn {

Pipeline::Pipeline(const model::Graph& graph, Streams streams, GraphModule& module,
                   std::shared_ptr<DeviceThreads> threads, std::size_t batches)
    : first_(module), threads_(std::move(threads)) {
  for (std::size_t part = 1; part < batches; ++part)
    others_.push_back(std::make_unique<GraphModule>(graph, streams, module));
}

std::size_t Pipeline::number_of(const PartTask& task) const {
  return task.part * tasks_of_part() + (task.is_backward ? layers() : 0) + task.layer;
}

/// The device that has the first output takes the loss of a batch before the first layer that it passes backward.
TaskLists Pipeline::numbered(const PartOrders& orders, std::size_t parts) const {
  const std::size_t head = first_.output_layers().front();
  const auto has_head = [&](const PartTask& task) { return task.layer == head; };
  TaskLists all;
  for (const auto& order : orders) {
    all.emplace_back();
    std::vector<bool> has_loss(parts, std::none_of(order.begin(), order.end(), has_head));
    for (const PartTask& task : order) {
      if (task.is_backward && !has_loss.at(task.part)) all.back().push_back(loss_number(task.part));
      if (task.is_backward) has_loss.at(task.part) = true;
      all.back().push_back(number_of(task));
    }
  }
  return all;
}

/// Tasks that come before each: what it reads, and the same of the batch before.
TaskLists Pipeline::needs(std::size_t parts) const {
  const TaskLists producers = first_.passes().producers(), readers = first_.passes().readers();
  const std::vector<std::size_t> heads = first_.output_layers();
  TaskLists all(parts * tasks_of_part());
  for (std::size_t part = 0; part < parts; ++part) {
    for (std::size_t layer = 0; layer < layers(); ++layer) {
      auto& forward = all[number_of({part, layer, false})];
      auto& backward = all[number_of({part, layer, true})];
      for (const std::size_t producer : producers[layer]) forward.push_back(number_of({part, producer, false}));
      for (const std::size_t reader : readers[layer]) backward.push_back(number_of({part, reader, true}));
      backward.push_back(loss_number(part));
      if (part > 0) forward.push_back(number_of({part - 1, layer, false}));
    }
    for (const std::size_t head : heads) all[loss_number(part)].push_back(number_of({part, head, false}));
    if (part > 0) all[loss_number(part)].push_back(loss_number(part - 1));
  }
  return all;
}

void Pipeline::compute(std::size_t task, const std::vector<PartInput>& batches, const LossOf& loss_of) {
  const std::size_t part = task / tasks_of_part(), what = task % tasks_of_part();
  GraphModule& module = part_module(part);
  if (what < layers()) return module.compute(what, batches[part].pass);
  if (what < 2 * layers()) return module.compute_backward(what - layers());
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  module.begin_backward(loss_of(part, module.outputs()));
}

void Pipeline::run(const std::vector<PartInput>& batches, const PartOrders& orders, const LossOf& loss_of) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const DeviceTasks tasks(numbered(orders, batches.size()), needs(batches.size()));
  for (std::size_t part = 0; part < batches.size(); ++part) part_module(part).begin(batches[part].inputs);
  tasks.run(*threads_, [&](std::size_t task) { compute(task, batches, loss_of); });
  for (std::size_t part = 0; part < batches.size(); ++part) part_module(part).end_backward();
}

}  // namespace dlrun::nn
