// SPDX-License-Identifier: Apache-2.0
// A placed model whose batches pass through the devices as through a pipeline.
#pragma once
#include "recipe/device_plan.hpp"

namespace dlrun::recipe {

/// Plays a step of so many batches. A model without a placement gets that of the fastest pipeline among cuts of
/// traversal orders into pieces of equal work: along the order that the settings name, or along each of them.
/// @param placed  its graph, cluster and time alone are there    @param model  from which its graph was made
/// @throws Error(usage) for too many batches, devices that would wait for each other, or layers that cannot keep
/// several
///         batches apart
void play_pipeline(PlacedModel& placed, const model::Graph& model, const PlacementConfig& config, int batches);

/// Costs of so many batches. Inputs of the model are on every device from the beginning, so nobody waits for them.
placement::Graph step_graph(placement::Graph graph, std::size_t inputs, int batches);

}  // namespace dlrun::recipe
