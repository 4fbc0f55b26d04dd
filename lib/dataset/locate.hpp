// SPDX-License-Identifier: Apache-2.0
// Finds the files a `data:` section names.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

/// File that is looked for: a path as written, under one of several endings ("", ".gz").
struct Wanted {
  std::string key;      ///< place in the section, "path"
  std::string written;  ///< relative or absolute
  std::vector<std::string> endings{""};
};

/// @throws DataError: every place looked at, and where to put the file.
std::filesystem::path find_file(const Wanted& wanted, const Locations& where);

}  // namespace dlrun::dataset
