// SPDX-License-Identifier: Apache-2.0
// Completion scripts for three shells, written from the table of verbs. What a table cannot know, the names of studies
// and trials, the scripts ask `dlrun __complete KIND PREFIX` for.
#pragma once
#include <string>
#include <vector>

#include "verb.hpp"

namespace dlrun::cli {

std::string bash_script(const std::vector<Verb>& verbs);
std::string zsh_script(const std::vector<Verb>& verbs);
std::string fish_script(const std::vector<Verb>& verbs);

/// The word `__complete` knows a kind by: "study", "trial" or "target"; empty where nothing is asked.
std::string dynamic_kind(Kind kind);
/// 'text' for a shell, quotes inside it kept.
std::string quoted(const std::string& text);

}  // namespace dlrun::cli
