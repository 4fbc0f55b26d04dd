// SPDX-License-Identifier: Apache-2.0
// Help from the table of verbs.
#pragma once
#include <string>

#include "output/terminal.hpp"
#include "verb.hpp"

namespace dlrun::cli {

/// "dlrun report [STUDY...] [options]"
std::string usage_line(const Verb& verb);
/// Everything about one verb: text, arguments, options, examples.
std::string verb_help(const Verb& verb, const Style& style);
/// Every verb with its summary, in groups.
std::string overview(const Style& style);

}  // namespace dlrun::cli
