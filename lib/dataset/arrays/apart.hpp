// SPDX-License-Identifier: Apache-2.0
// Reading by a plugin, in a process of its own: dlrun-guest opens the object there, and leaves the arrays in a file.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "dataset/arrays/mapped.hpp"
#include "dataset/dataset.hpp"
#include "plugin/found.hpp"
#include "util/json.hpp"

namespace dlrun::dataset {

/// Limits of one reading where the environment (DLRUN_PLUGIN_DEADLINE, DLRUN_PLUGIN_MEMORY_MB) has none.
struct ReadingLimits {
  double seconds = 600;
  std::int64_t memory = 0;  ///< bytes; 0: three quarters of the machine's
};

/// One reading.
struct Reading {
  const plugin::Found* plugin = nullptr;
  Json options;                                        ///< values of the plugin's own keys, those of files left out
  std::map<std::string, std::filesystem::path> files;  ///< by key of the section
  Json names;                                          ///< {inputs: {x: "/images"}, targets, test_inputs, test_targets}
  ReadingLimits limits = {};
};

/// Fault of the plugin and not of the data: a crash, a broken contract, more than its time.
class PluginFault : public DataError {
 public:
  explicit PluginFault(const DataError& fault) : DataError(fault) {}
};

/// Bytes of a safetensors file with the tensors "inputs/x", "targets/", …; its metadata `texts` has the texts that the
/// numbers of a tensor stand for. The file is in no folder; its sha256 is that of its bytes.
/// @param folder  on whose disk the file lies meanwhile
/// @throws DataError(usage): faults that the plugin names, at their key; too much memory, at `path`;
/// PluginFault(usage), at `path`: a crash, a broken contract; PluginFault(outside): it took longer than its limit, was
/// killed; DataError(outside): the disk is full, dlrun-guest is missing.
Mapped read_apart(const Reading& reading, const std::filesystem::path& folder);

}  // namespace dlrun::dataset
