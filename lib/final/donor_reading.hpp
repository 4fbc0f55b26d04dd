// SPDX-License-Identifier: Apache-2.0
// `from:` of a final training's start: which checkpoints of a study are donors, and what ranks them.
#pragma once
#include "final/donors.hpp"
#include "util/json.hpp"

namespace dlrun::final {

/// @param search  normal form of the study that was searched
/// @param givers  normal form of the study whose trials give weights: its objectives say which way is better
/// @param from    an object; empty: all stands at its defaults
/// @throws Error(usage) where nothing tells whether more of `rank_by` is better
Reading reading_of(const Json& search, const Json& givers, const Json& from);

}  // namespace dlrun::final
