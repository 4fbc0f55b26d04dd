// SPDX-License-Identifier: Apache-2.0
// A training of another length.
#pragma once
#include <cstdint>

#include "util/json.hpp"

namespace dlrun::recipe {

/// The section `trial:` of a training that lasts so many epochs: all that counts in epochs (drops, cycles, warm-up,
/// parts of a sequence, patience, SWA, partitions) comes earlier or later in proportion. Drops and parts stay apart,
/// and within the training; drops for which it is too short are left out, and so is a patience of the whole of it. Two
/// epochs at least are averaged, or none. Lengths that are not written are those by default. `log` is left out: no
/// result depends on it, and there may be fewer steps than between two of its points.
/// @param trial  keys that stand at their defaults may be missing  @param epochs  at least 1
Json lasting(Json trial, std::int64_t epochs);

}  // namespace dlrun::recipe
