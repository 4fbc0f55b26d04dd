// SPDX-License-Identifier: Apache-2.0
// How a process that dies, or is ended, says whose code was running.
#pragma once
#include <csignal>
#include <string>

namespace dlrun {

/// Begins a line on standard error; the plugin's name and a ' follow.
inline constexpr const char* kCulprit = "dlrun: this happened in the code of plugin '";

/// A process that runs plugins writes that line when it raises this signal for itself.
inline constexpr int kAskCulprit = SIGUSR2;

/// Raises kAskCulprit, if something in this process handles it. A library that was opened has a handler, but its
/// variables are not those of the program that opened it.
void ask_culprit();

/// " in the code of plugin 'x'" if the last lines of a process name a culprit, else empty.
std::string culprit_in(const std::string& log);

}  // namespace dlrun
