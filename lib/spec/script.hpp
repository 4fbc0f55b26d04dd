// SPDX-License-Identifier: Apache-2.0
// The file that trials of kind `command` or `python` cannot run without.
#pragma once
#include <cstddef>
#include <filesystem>

#include "util/json.hpp"

namespace dlrun::spec {

/// Number of the argument with the script that an interpreter is to run: the first one that is no option. 0: not known,
/// as behind -c or -m.
std::size_t script_of(const Json& command);

/// Script of a command, or file of a function of Python, in the program's folder; empty: the trial names none, or its
/// parameters do. REQUIRES: the normal form of a trial that runs a program.
std::filesystem::path script_file(const Json& trial);

}  // namespace dlrun::spec
