// SPDX-License-Identifier: Apache-2.0
// `placement:` of a trial, decided for its model.
#pragma once
#include "model/graph.hpp"
#include "placement/simulator.hpp"
#include "recipe/placement.hpp"

namespace dlrun::recipe {

/// A model on its devices, and its step as it is simulated. The same on every machine.
struct PlacedModel {
  placement::Graph graph;  ///< a node without cost for each input of the model, then its layers
  placement::Cluster cluster;
  placement::Placement placement;
  std::string decided;  ///< "greedy along topo", "a file"
  std::string order;    ///< traversal order by which the placer decided; empty: it followed none
  placement::Step step;
  placement::Outcome outcome;
  double alone = 0;  ///< seconds of a step on one device
};

/// @param devices  at least 1
/// @param batch    examples of a step
/// @throws Error(usage) as plan_devices()
PlacedModel place_model(const model::Graph& model, const PlacementConfig& config, int devices, std::int64_t batch);

/// Layers go by their place in graph.nodes.
struct DevicePlan {
  std::vector<int> devices;                                 ///< one for each layer
  std::vector<std::vector<std::size_t>> forward, backward;  ///< layers of each device, as the simulated step has them
  double seconds = 0;                                       ///< a simulated step takes so long
  double alone = 0;                                         ///< one device would take
};

/// The tasks of place_model(), as a trainer needs them.
/// @throws Error(usage) for a layer without a device or without costs, a name that is no layer's, or a device that
/// there
///         is not
DevicePlan plan_devices(const model::Graph& model, const PlacementConfig& config, int devices, std::int64_t batch);

}  // namespace dlrun::recipe
