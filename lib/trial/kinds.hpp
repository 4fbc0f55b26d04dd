// SPDX-License-Identifier: Apache-2.0
// Kinds of trials that people's own code carries out.
#pragma once
#include <string_view>

namespace dlrun::trial {

/// A program of the user's, or a function of Python: nobody knows whether its code is the same the next time.
inline bool runs_program(std::string_view kind) { return kind == "command" || kind == "python"; }

}  // namespace dlrun::trial
