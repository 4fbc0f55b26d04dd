// SPDX-License-Identifier: Apache-2.0
// Kinds of trials that people's own code carries out, and the file of their progress.
#pragma once
#include <string_view>

namespace dlrun::trial {

/// A program of the user's, or a function of Python: nobody knows whether its code is the same the next time.
inline bool runs_program(std::string_view kind) { return kind == "command" || kind == "python"; }

/// File in the folder of an attempt, beside a program that has reported a checkpoint inside of its piece: how far it
/// has come, so that another attempt can go on from there.
inline constexpr const char* kProgressFile = "progress.jsonl";

}  // namespace dlrun::trial
