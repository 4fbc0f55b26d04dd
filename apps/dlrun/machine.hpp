// SPDX-License-Identifier: Apache-2.0
// Questions of `dlrun doctor` to the machine. Nothing here changes anything.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "libtorch/candidates.hpp"

namespace dlrun::cli {

/// Bytes of memory that can be had: MemAvailable, or less where the control group says so.
std::int64_t available_memory();

/// A graphics card, as far as it can be seen without its libraries.
struct Gpu {
  enum class State { none, no_driver, hidden, present };
  State state = State::none;
  std::string detail;  ///< driver version and models, or the missing part
};
Gpu find_gpu();

/// File system of a folder.
struct FileSystem {
  std::string type;             ///< "ext4", "tmpfs", "nfs", … or the number statfs gives
  std::int64_t free_bytes = 0;  ///< for this user
};
/// nullopt where the folder is not there.
std::optional<FileSystem> file_system(const std::filesystem::path& folder);

/// Runs a program with one argument and returns the first line it prints; nullopt: it cannot be run or fails.
std::optional<std::string> first_line_of(const std::filesystem::path& program, const std::string& argument);

/// Runs a program with this one's terminal; its standard output goes nowhere. @return its exit status, or nullopt if it
/// cannot be run or a signal ended it
std::optional<int> run_program(const std::vector<std::string>& words);

/// Loads a libtorch and a library that needs it in a process of its own. @return empty, or why that fails
std::string load_fault(const std::filesystem::path& library, const std::vector<libtorch::Candidate>& candidates);

}  // namespace dlrun::cli
