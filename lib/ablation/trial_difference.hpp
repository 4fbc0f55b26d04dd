// SPDX-License-Identifier: Apache-2.0
// Two trials, as the places in which they differ.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "util/json.hpp"

namespace dlrun::ablation {

/// Places, each a setting of its own, and their values in `from`. A section of another kind (op) differs as a
/// whole, as do lists but those of layers with the same names. Seeds and settings that are only logged or measured do
/// not count.
/// @param from, to  `trial:` in normal form
std::vector<std::pair<std::string, Json>> differences(const Json& from, const Json& to);

}  // namespace dlrun::ablation
