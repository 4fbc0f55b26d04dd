// SPDX-License-Identifier: Apache-2.0
// The actions of `dlrun plugins`.
#pragma once
#include <string>

#include "plugin/found.hpp"

namespace dlrun::cli {

class Arguments;
class Console;

/// The plugin with the problem that its kind has with it: a name or a key that dlrun has already.
plugin::Found judged(plugin::Found found);

/// Every plugin in the folders, with the reason where it cannot be used. Exit code 0.
int list_plugins(Console& console);
/// Says nothing where the object fits. @throws Error(usage) with the reason where it cannot be used
int check_plugin(const std::string& file, Console& console);
/// Writes the source of a plugin's ELF note, to --output or standard output.
int write_note(const std::string& manifest, const Arguments& arguments, Console& console);

/// Prints the folder of the libtorch that this dlrun takes, for builders. @throws Error(usage) where there is none
int print_torch(Console& console);

}  // namespace dlrun::cli
