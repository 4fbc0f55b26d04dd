// SPDX-License-Identifier: Apache-2.0
// Keys of `search.pruner`, and the pruner that a section describes.
#pragma once
#include "options/key.hpp"
#include "pruners/kinds.hpp"

namespace dlrun::pruners {

/// The key `pruner`, with the keys of every kind.
options::Key pruner_key();

/// Keys of every rule with rungs at equal distances: min_budget, max_budget, interval.
options::Table even_rung_keys();

/// The rule `section.op` of somebody else, with its rungs.
Foreign read_foreign(const Json& section);

/// @param section  {op: asha, eta: 3, …}; missing settings have their defaults
/// @throws Error(usage) for an unknown kind or a value outside its range, naming its place
PrunerKind read_pruner(const Json& section);

}  // namespace dlrun::pruners
