// SPDX-License-Identifier: Apache-2.0
// The work of one training step: each node forward, and backward on the same device, and the tensors between them.
#pragma once
#include "placement/graph.hpp"

namespace dlrun::placement {

struct Task {
  int node = 0;
  double seconds = 0;
  bool is_backward = false;
};

/// An output. It travels once to each device that has a reader.
struct Tensor {
  int from = 0;  ///< a task
  std::int64_t bytes = 0;
  std::vector<int> readers;  ///< tasks
};

/// Tasks by number: node v forward is v, backward is n + v; of microbatch k 2n k more.
struct Step {
  std::vector<Task> tasks;
  std::vector<Tensor> tensors;
  Lists outputs;                          ///< tensors of each task
  std::vector<int> inputs;                ///< how many tensors each task reads
  std::vector<std::int64_t> param_bytes;  ///< each node's
  std::vector<int> leaders;               ///< each node's, see leaders_of()

  int nodes() const { return int(param_bytes.size()); }
  int leader(int node) const { return leaders[std::size_t(node)]; }
  /// Whether nodes have to stay together.
  bool has_groups() const;
  bool trains() const { return int(tasks.size()) > nodes(); }
  /// Bytes of a node's parameters: with a gradient and a momentum of each in training.
  std::int64_t held_params(int node) const;
};

/// A step of training: an edge u -> v is also one from v's backward task to u's, with as many bytes as u's output. A
/// node's output is kept for its own backward task and for those of its readers.
/// @param parts  microbatches that the batch is cut into: each has its share of the seconds and bytes of every node
Step training_step(const Graph& graph, int parts = 1);

/// A step of inference, forward alone.
Step inference_step(const Graph& graph);

using Placement = std::vector<int>;  ///< device of each node

inline int device_of(const Step& step, const Placement& placement, int task) {
  return placement[std::size_t(step.tasks[std::size_t(task)].node)];
}

/// All tasks, each behind those whose outputs it reads.
std::vector<int> producers_first(const Step& step);

/// Tensors that each task reads.
Lists inputs_of(const Step& step);

}  // namespace dlrun::placement
