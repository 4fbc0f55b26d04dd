// SPDX-License-Identifier: Apache-2.0
// The table of verbs: the one visible list. To add a verb, write cmd_<verb>.cpp and add two lines here and in
// verbs.cpp.
#pragma once
#include <string>
#include <vector>

#include "verb.hpp"

namespace dlrun::cli {

/// All verbs, in the order of the help.
const std::vector<Verb>& verbs();
/// nullptr where there is none.
const Verb* find_verb(const std::string& name);
/// @throws Error(usage) with the nearest known verb.
const Verb& verb_named(const std::string& name);

Verb init_verb();
Verb help_verb();
Verb version_verb();
Verb completion_verb();
Verb complete_verb();  ///< `__complete`, what the shells' scripts ask

}  // namespace dlrun::cli
