// SPDX-License-Identifier: Apache-2.0
// The better direction of a metric, as far as its name tells.
#pragma once
#include <string>

namespace dlrun::recipe {

/// Dlrun's metrics and those of plugins are known; names of programs tell by their ends, such as "accuracy" and "loss".
/// @return "maximize", "minimize"; empty: the name does not tell
std::string direction_of(const std::string& metric);

}  // namespace dlrun::recipe
