// SPDX-License-Identifier: Apache-2.0
#include "nn/pipeline.hpp"

#include <ATen/core/LegacyTypeDispatch.h>

namespace dlrun::nn {

namespace {

using model::PipelineTask;
using model::PipelineWork;

}  // namespace

Pipeline::Pipeline(const model::Graph& graph, Streams streams, GraphModule& module,
                   std::shared_ptr<DeviceThreads> threads, std::size_t most, TasksOf tasks_of)
    : first_(module), threads_(std::move(threads)), tasks_of_(std::move(tasks_of)) {
  for (std::size_t batch = 1; batch < most; ++batch)
    others_.push_back(std::make_unique<GraphModule>(graph, streams, module));
}

/// Forward of all layers, then backward, then the loss; batch after batch.
std::size_t Pipeline::number_of(const PipelineTask& task) const {
  const std::size_t begin = task.batch * tasks_of_batch();
  if (task.work == PipelineWork::loss) return begin + 2 * layers();
  return begin + (task.work == PipelineWork::backward ? layers() : 0) + task.layer;
}

/// Tasks that come before each: those whose values it reads, and those of the batch before that write its buffers.
TaskLists Pipeline::needs(std::size_t batches) const {
  const TaskLists producers = first_.passes().producers(), readers = first_.passes().readers();
  const std::vector<std::size_t> last_writers = first_.passes().last_writers();
  TaskLists all(batches * tasks_of_batch());
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const std::size_t loss = number_of({PipelineWork::loss, batch});
    for (std::size_t layer = 0; layer < layers(); ++layer) {
      auto& forward = all[number_of({PipelineWork::forward, batch, layer})];
      auto& backward = all[number_of({PipelineWork::backward, batch, layer})];
      for (const std::size_t other : producers[layer])
        forward.push_back(number_of({PipelineWork::forward, batch, other}));
      for (const std::size_t other : readers[layer])
        backward.push_back(number_of({PipelineWork::backward, batch, other}));
      backward.push_back(loss);
      if (batch > 0) forward.push_back(number_of({PipelineWork::forward, batch - 1, last_writers[layer]}));
    }
    for (const std::size_t head : first_.output_layers())
      all[loss].push_back(number_of({PipelineWork::forward, batch, head}));
    if (batch > 0) all[loss].push_back(number_of({PipelineWork::loss, batch - 1}));
  }
  return all;
}

const DeviceTasks& Pipeline::device_tasks(std::size_t batches) {
  const auto found = known_.find(batches);
  if (found != known_.end()) return found->second;
  TaskLists numbers;
  for (const auto& tasks : tasks_of_(batches)) {
    numbers.emplace_back();
    for (const PipelineTask& task : tasks) numbers.back().push_back(number_of(task));
  }
  return known_.emplace(batches, DeviceTasks(std::move(numbers), needs(batches))).first->second;
}

void Pipeline::compute(std::size_t number, const std::vector<PartInput>& batches, const LossOf& loss_of) {
  const std::size_t batch = number / tasks_of_batch(), task = number % tasks_of_batch();
  GraphModule& module = module_of(batch);
  if (task < layers()) return module.compute(task, batches[batch].pass);
  if (task < 2 * layers()) return module.compute_backward(task - layers());
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  module.begin_backward(loss_of(batch, module.outputs()));
}

void Pipeline::run(const std::vector<PartInput>& batches, const LossOf& loss_of) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const DeviceTasks& tasks = device_tasks(batches.size());
  for (std::size_t batch = 0; batch < batches.size(); ++batch) module_of(batch).begin(batches[batch].inputs);
  tasks.run(*threads_, [&](std::size_t number) { compute(number, batches, loss_of); });
  for (std::size_t batch = 0; batch < batches.size(); ++batch) module_of(batch).end_backward();
}

}  // namespace dlrun::nn
