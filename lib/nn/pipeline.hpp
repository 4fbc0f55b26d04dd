// SPDX-License-Identifier: Apache-2.0
// Batches of one step that pass through the devices of a machine at the same time, one behind the other.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "model/pipeline_task.hpp"
#include "nn/graph_module.hpp"

namespace dlrun::nn {

struct PartInput {
  std::vector<at::Tensor> inputs;  ///< as GraphModule::forward() takes them
  Pass pass;
};

/// Each batch has the gradients that it has alone, to the bit: layers compute one batch after another, in the order of
/// the batches, and what a pass keeps until its backward, each batch has of its own.
class Pipeline {
 public:
  /// Gradients of a batch's outputs. Called in the order of the batches, by whichever thread.
  using LossOf = std::function<std::vector<at::Tensor>(std::size_t batch, std::vector<at::Tensor> outputs)>;
  /// Tasks of the devices for a step of so many batches.
  using TasksOf = std::function<model::PipelineTasks(std::size_t batches)>;

  /// @param module  lent; it passes the first batch of a step    @param most  batches of a step
  Pipeline(const model::Graph& graph, Streams streams, GraphModule& module, std::shared_ptr<DeviceThreads> threads,
           std::size_t most, TasksOf tasks_of);

  /// A training pass of each batch, forward and backward.
  /// @throws Error(internal) for tasks that lack one, have one twice, wait for each other, or have a layer compute the
  ///         batches in another order
  void run(const std::vector<PartInput>& batches, const LossOf& loss_of);
  /// [n] float32 of the last run, as Parameters::grads().
  const at::Tensor& grads(std::size_t batch) const { return module_of(batch).parameters().grads(); }

 private:
  GraphModule& module_of(std::size_t batch) const { return batch == 0 ? first_ : *others_[batch - 1]; }
  std::size_t layers() const { return first_.passes().layers(); }
  std::size_t tasks_of_batch() const { return 2 * layers() + 1; }
  std::size_t number_of(const model::PipelineTask& task) const;
  TaskLists needs(std::size_t batches) const;
  const DeviceTasks& device_tasks(std::size_t batches);
  void compute(std::size_t number, const std::vector<PartInput>& batches, const LossOf& loss_of);

  GraphModule& first_;
  std::vector<std::unique_ptr<GraphModule>> others_;
  std::shared_ptr<DeviceThreads> threads_;
  TasksOf tasks_of_;
  std::map<std::size_t, DeviceTasks> known_;  ///< by the number of batches
};

}  // namespace dlrun::nn
