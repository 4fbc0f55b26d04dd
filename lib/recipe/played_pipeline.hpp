// SPDX-License-Identifier: Apache-2.0
// A placed model whose batches pass through the devices as through a pipeline.
#pragma once
#include "recipe/device_plan.hpp"

namespace dlrun::recipe {

/// Plays a step of so many batches. Where no placement is there yet, that of the fastest pipeline among cuts of
/// traversal orders into pieces of equal work is taken: along the order that the settings name, or along each of them.
/// @param placed  its graph, cluster and time alone are there
/// @throws Error(usage) for one batch, too many, or devices that would wait for each other
void play_pipeline(PlacedModel& placed, const PlacementConfig& config, int batches);

}  // namespace dlrun::recipe
