// SPDX-License-Identifier: Apache-2.0
// `placement:` of a trial, decided for its model.
#pragma once
#include "model/graph.hpp"
#include "recipe/placement.hpp"

namespace dlrun::recipe {

/// Layers go by their place in graph.nodes.
struct DevicePlan {
  std::vector<int> devices;                                 ///< one for each layer
  std::vector<std::vector<std::size_t>> forward, backward;  ///< layers of each device, as the simulated step has them
  double seconds = 0;                                       ///< a simulated step takes so long
  double alone = 0;                                         ///< one device would take
};

/// The same on every machine.
/// @param devices  at least 1
/// @param batch    examples of a step
/// @throws Error(usage) for a layer without a device or without costs, a name that is no layer's, or a device that
/// there
///         is not
DevicePlan plan_devices(const model::Graph& model, const PlacementConfig& config, int devices, std::int64_t batch);

}  // namespace dlrun::recipe
