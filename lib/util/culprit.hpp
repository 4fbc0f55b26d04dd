// SPDX-License-Identifier: Apache-2.0
// How a process that dies says whose code was running.
#pragma once

namespace dlrun {

/// Begins a line on standard error; the plugin's name and a ' follow.
inline constexpr const char* kCulprit = "dlrun: this happened in the code of plugin '";

}  // namespace dlrun
