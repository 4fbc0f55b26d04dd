// SPDX-License-Identifier: Apache-2.0
// Limits of plugins' processes that a person sets for all of them.
#pragma once

namespace dlrun::plugin {

/// A variable of the environment, such as DLRUN_PLUGIN_DEADLINE. @return `fallback` where it is not set or empty
/// @throws Error(usage) unless it is a number above 0 and below 1e6
double limit_of_environment(const char* name, double fallback);

}  // namespace dlrun::plugin
