// SPDX-License-Identifier: Apache-2.0
// Handles of running workers in a file, so that the next driver finds them if this one is killed. Private to this room.
#pragma once
#include <filesystem>
#include <map>
#include <string>

namespace dlrun::executor {

using Handles = std::map<std::string, std::string>;  ///< by the name of the worker

class HandleFile {
 public:
  /// @param plugin  whose handles they are: those of another plugin are not read
  HandleFile(std::filesystem::path path, std::string plugin) : path_(std::move(path)), plugin_(std::move(plugin)) {}

  /// Empty if there is no file. @throws Error(outside) if it cannot be read or is damaged
  Handles read() const;
  void write(const Handles& handles) const;

 private:
  std::filesystem::path path_;
  std::string plugin_;
};

}  // namespace dlrun::executor
