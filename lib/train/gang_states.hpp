// SPDX-License-Identifier: Apache-2.0
// States of a gang's nodes that last from one epoch to the next.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "parallel/gang.hpp"
#include "train/checkpoint.hpp"
#include "train/weight_steps.hpp"
#include "util/json.hpp"

namespace dlrun::train {

struct GangStates {
  parallel::Members<float> members;
  std::vector<std::unique_ptr<WeightSteps>> steps;  ///< by node
  std::vector<std::int64_t> counts;                 ///< optimiser's steps, by node

  static constexpr int kAll = -1;

  /// Gives up the numbers of a node that is played elsewhere.
  void forget(const parallel::Gang& gang, int node);
  /// Tensors of the nodes that a process plays. @param process  kAll: of all
  std::vector<NamedNumbers> tensors(const parallel::Gang& gang, int process = kAll);
  /// Numbers beside the tensors, of all nodes.
  Json counters() const;
  /// @throws Json::exception where counters() did not write it
  void restore(const Json& counters);
  /// The same of the nodes that a process plays, in their order.
  Json counters_of(const parallel::Gang& gang, int process) const;
  void restore_some(const parallel::Gang& gang, int process, const Json& counters);
  std::int64_t most_steps() const;
};

}  // namespace dlrun::train
