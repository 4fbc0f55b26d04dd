// SPDX-License-Identifier: Apache-2.0
// Limits of plugins' processes that a person sets for all of them.
#pragma once

namespace dlrun::plugin {

/// Seconds that a plugin may take (DLRUN_PLUGIN_DEADLINE). @return `fallback` if the variable is not set or empty
/// @throws Error(usage) unless it is a number above 0 and below 1e6
double deadline_of_environment(double fallback);

/// Megabytes that a plugin may have (DLRUN_PLUGIN_MEMORY_MB), likewise.
/// @throws Error(usage) unless it is a number of at least 1 and below 1e6
double memory_of_environment(double fallback);

}  // namespace dlrun::plugin
