// SPDX-License-Identifier: Apache-2.0
// The nearest known name to a word that a person typed.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun {

/// Damerau-Levenshtein distance (optimal string alignment), case folded: "dense_tow" is 1 from "dense_two".
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name nearest to `name`, or empty where none is within a third of its length (at least 2).
/// Ties: the first of `known`.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace dlrun
