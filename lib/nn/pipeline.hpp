// SPDX-License-Identifier: Apache-2.0
// Batches of one step that pass through the devices of a machine at the same time, one behind the other.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "nn/graph_module.hpp"

namespace dlrun::nn {

/// A layer's forward or backward of one of the batches.
struct PartTask {
  std::size_t part = 0, layer = 0;
  bool is_backward = false;
};
using PartOrders = std::vector<std::vector<PartTask>>;  ///< tasks of each device, as it computes them

struct PartInput {
  std::vector<at::Tensor> inputs;  ///< as GraphModule::forward() takes them
  Pass pass;
};

/// Each batch has the gradients that it has alone, to the bit: layers compute one batch after another, in the order of
/// the batches, and what a pass keeps until its backward, each batch has of its own.
class Pipeline {
 public:
  /// Gradients of a batch's outputs. Called in the order of the batches, by whichever thread.
  using LossOf = std::function<std::vector<at::Tensor>(std::size_t part, std::vector<at::Tensor> outputs)>;

  /// @param module  lent, and so for the first batch of a step    @param batches  of a step, at most
  Pipeline(const model::Graph& graph, Streams streams, GraphModule& module, std::shared_ptr<DeviceThreads> threads,
           std::size_t batches);

  /// A training pass of each batch, forward and backward.
  /// @throws Error(internal) for orders in which layers compute the batches in another order, that lack a task, or
  /// would
  ///         wait for each other
  void run(const std::vector<PartInput>& batches, const PartOrders& orders, const LossOf& loss_of);
  /// [n] float32 of the last run, as Parameters::grads().
  const at::Tensor& grads(std::size_t part) const { return part_module(part).parameters().grads(); }

 private:
  GraphModule& part_module(std::size_t part) const { return part == 0 ? first_ : *others_[part - 1]; }
  std::size_t layers() const { return first_.passes().layers(); }
  std::size_t tasks_of_part() const { return 2 * layers() + 1; }
  std::size_t number_of(const PartTask& task) const;
  std::size_t loss_number(std::size_t part) const { return part * tasks_of_part() + 2 * layers(); }
  TaskLists numbered(const PartOrders& orders, std::size_t parts) const;
  TaskLists needs(std::size_t parts) const;
  void compute(std::size_t task, const std::vector<PartInput>& batches, const LossOf& loss_of);

  GraphModule& first_;
  std::vector<std::unique_ptr<GraphModule>> others_;
  std::shared_ptr<DeviceThreads> threads_;
};

}  // namespace dlrun::nn
