// SPDX-License-Identifier: Apache-2.0
// A study as one file: the ends of `export --archive` that a user sees.
#pragma once

namespace dlrun::cli {

class Arguments;
class Console;

/// Writes it under another name and renames it, or to standard output for `-o -`.
/// @throws Error(usage) the file is there and --force is not given.
int export_archive(const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
