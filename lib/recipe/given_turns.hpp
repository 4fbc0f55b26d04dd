// SPDX-License-Identifier: Apache-2.0
// The order in which devices compute the layers of a placement that is given.
#pragma once
#include "placement/simulator.hpp"
#include "recipe/placement.hpp"

namespace dlrun::recipe {

/// Turns of the devices: forward, then backward, as trainers compute them.
/// @param graph      a node for each input of the model, on the first device, then its layers
/// @param placement  a device of the cluster for each node
/// @return none where the file has none
/// @throws Error(usage) for a layer that is missing, there twice or on another device
placement::Turns given_turns(const placement::Graph& graph, std::size_t inputs, const placement::Placement& placement,
                             int devices, const GivenPlacement& config);

}  // namespace dlrun::recipe
