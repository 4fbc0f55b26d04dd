// SPDX-License-Identifier: Apache-2.0
// Rates that a schedule gives in an epoch, to be compared to the bit.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "recipe/schedule.hpp"

namespace dlrun::recipe {

/// The rate of each step of an epoch, and the momentum where the schedule moves it; in the machine's order of bytes.
/// @param epoch  from 1. Of `plateau` its predecessors must have been observed.
std::string rates_of(const Schedule& schedule, std::int64_t epoch, std::int64_t steps_per_epoch);

/// Whether the weights after this epoch (from 1) are averaged into the others.
bool is_averaged(const std::optional<SwaConfig>& swa, std::int64_t epoch);

/// Optimiser steps of an epoch of so many batches, `accumulate` of which make one.
inline std::int64_t steps_of(std::int64_t batches, std::int64_t accumulate) {
  return (batches + accumulate - 1) / accumulate;
}

}  // namespace dlrun::recipe
