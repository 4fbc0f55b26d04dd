// SPDX-License-Identifier: Apache-2.0
// One reading of a plugin of kind data.
#pragma once

namespace dlrun::guest {

/// Serves one request, which dataset::Reading sends: descriptor 0 has it as JSON, 1 gets the answer as JSON, 3 is the
/// file for the arrays. The answer is {}, or {fault: {key, message, hint}}, {broken: text}, {memory: true} or
/// {disk: text}. Ends the process with 0 after an answer; no destructor of the plugin's runs.
[[noreturn]] void read_data();

}  // namespace dlrun::guest
