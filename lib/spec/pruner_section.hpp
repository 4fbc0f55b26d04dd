// SPDX-License-Identifier: Apache-2.0
// `search: {pruner: …}`: a built-in pruner, or a plugin with its keys and those of its rungs.
#pragma once
#include <string>
#include <vector>

#include "options/key.hpp"
#include "pruners/kinds.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

options::Key pruner_key();

/// Is the section of the normal form a plugin's? Also where the plugin is not here.
bool is_foreign(const Json& pruner);

/// @throws Error(usage) for a value outside its range
pruners::PrunerKind read_pruner(const Json& section);

/// Names of pruners that can judge trials of studies with bounds: built-in ones, then plugins.
std::vector<std::string> pruners_for_bounds();

}  // namespace dlrun::spec
