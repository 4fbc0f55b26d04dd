// SPDX-License-Identifier: Apache-2.0
// dlrun ablate --suggest-with COMMAND: a program proposes components to leave out.
#pragma once
#include <string>
#include <vector>

#include "arguments.hpp"
#include "output/console.hpp"
#include "verb.hpp"

namespace dlrun::cli {

std::vector<Option> proposing_options();

/// @throws Error(usage) where one of them says nothing here
void require_proposing_options(const Arguments& arguments);

/// Asks the program about the study in `file`, prints the runnable part of its reply, or writes it to --output.
int propose(const std::string& file, const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
