// SPDX-License-Identifier: Apache-2.0
// A training of another length.
#pragma once
#include <cstdint>

#include "util/json.hpp"

namespace dlrun::recipe {

/// The section `trial:` of a training that lasts so many epochs: all that counts in epochs (drops, cycles, warm-up,
/// parts of a sequence, patience, SWA) comes earlier or later in proportion. Drops and parts stay apart, and within the
/// training; patience is never rounded up to the whole of it. Lengths that are not written are those by default.
/// @param trial  keys that stand at their defaults may be missing  @param epochs  at least 1
Json lasting(Json trial, std::int64_t epochs);

}  // namespace dlrun::recipe
