// SPDX-License-Identifier: Apache-2.0
// The one place that turns faults into words and an exit code.
#pragma once
#include <exception>

#include "output/terminal.hpp"

namespace dlrun::cli {

/// Prints "error: [place: ]message" and "help: hint" to standard error. A spec's faults come rendered and are printed
/// as they are. What is no dlrun::Error is a lack of memory (75) or our bug (70).
/// @return the exit code of conventions.md
int report_failure(const std::exception& failure, const Style& style);

}  // namespace dlrun::cli
