// SPDX-License-Identifier: Apache-2.0
// Pipelines: a batch in parts (microbatches), which pass one behind the other through the devices as through stages.
#pragma once
#include <string>

#include "placement/simulator.hpp"

namespace dlrun::placement {

/// gpipe: all parts forward, then all backward (Huang et al., NeurIPS 2019). one_f_one_b: a stage with `i` stages
/// before it, of P, goes forward P − i times and from then on backward and forward in turns, so that it holds outputs
/// of at most P − i parts (PipeDream-Flush; Narayanan et al., ICML 2021).
enum class PipelineSchedule { gpipe, one_f_one_b };

inline constexpr const char* kScheduleNames[] = {"gpipe", "1f1b"};  ///< by PipelineSchedule

/// Number of stages before each device, the longest way; −1 for a device without a node.
/// @return empty where stages would wait for each other: an edge leads back to an earlier one
std::vector<int> stages_of(const Graph& graph, const Placement& placement, int devices);

/// Tasks of each device in the order in which it computes them.
/// @param parts   microbatches of the step, numbered as training_step() does
/// @param stages  as stages_of() says; not empty
Lists scheduled(const Graph& graph, int parts, const Placement& placement, const std::vector<int>& stages,
                PipelineSchedule schedule);

}  // namespace dlrun::placement
