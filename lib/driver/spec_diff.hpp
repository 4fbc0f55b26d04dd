// SPDX-License-Identifier: Apache-2.0
// Differences between two normal forms, in a few lines.
#pragma once
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::driver {

/// "search.lanes: 8 -> 16" for every place that differs, in order; `resources`, `executor` and `limits.wall` are not
/// part of a study and are left out. At most `limit` lines, then "… and 3 more".
std::vector<std::string> spec_diff(const Json& before, const Json& now, std::size_t limit = 10);

/// The same of every place, those that are not part of a study too.
std::vector<std::string> whole_diff(const Json& before, const Json& now, std::size_t limit = 10);

}  // namespace dlrun::driver
