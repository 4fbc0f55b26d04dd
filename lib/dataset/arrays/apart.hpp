// SPDX-License-Identifier: Apache-2.0
// Reading by a plugin, in a process of its own: dlrun-guest opens the object there, and leaves the arrays in a file.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "dataset/arrays/mapped.hpp"
#include "plugin/found.hpp"
#include "util/json.hpp"

namespace dlrun::dataset {

/// One reading.
struct Reading {
  const plugin::Found* plugin = nullptr;
  Json options;                                        ///< values of the plugin's own keys, those of files left out
  std::map<std::string, std::filesystem::path> files;  ///< by key of the section
  Json names;                                          ///< {inputs: {x: "/images"}, targets, test_inputs, test_targets}
};

/// Bytes of a safetensors file with the tensors "inputs/x", "targets/", …; its metadata `texts` has the texts that the
/// numbers of a tensor stand for. The file is in no folder; its sha256 is that of its bytes.
/// @param folder  on whose disk the file lies meanwhile
/// @throws DataError(usage): faults that the plugin names, at their key; a crash, a broken contract, too much memory,
/// at `path`; DataError(outside): it took longer than its limit, was killed, the disk is full, dlrun-guest is missing.
Mapped read_apart(const Reading& reading, const std::filesystem::path& folder);

}  // namespace dlrun::dataset
