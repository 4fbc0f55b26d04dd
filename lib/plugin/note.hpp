// SPDX-License-Identifier: Apache-2.0
// The note of a shared object, read from its file: no code of the object runs.
#pragma once
#include <filesystem>
#include <string>

#include "util/json.hpp"

namespace dlrun::plugin {

/// Facts that a plugin was compiled with, or this dlrun.
struct Build {
  int interface = 0;     ///< version of the headers in dlrun/plugin
  std::string compiler;  ///< "g++ 12"
  std::string abi;       ///< "C++ ABI 1017, strings 1"
  std::string torch;     ///< "2.11.0"; empty: compiled without it

  bool operator==(const Build&) const = default;
};

struct Note {
  Build build;
  Json manifest;
};

/// @throws Error(usage) for a file that cannot be read, is no shared object of this processor, or has no note of dlrun
Note read_note(const std::filesystem::path& file);

/// The side of this dlrun in the comparison.
Build own_build();

/// Both sides where they do not fit: "compiled by g++ 13, this dlrun by g++ 12"; empty where they do.
std::string misfit(const Build& plugin, const Build& own);

}  // namespace dlrun::plugin
