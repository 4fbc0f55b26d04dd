// SPDX-License-Identifier: Apache-2.0
// Studies that this server started: processes of their own, in sessions of their own. They outlive the server.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "process/child.hpp"

namespace dlrun::cli::agent {

struct Started {
  std::string study;
  std::filesystem::path log;  ///< the process prints there
  process::Child child;
};

class Children {
 public:
  static constexpr std::size_t kMostRunning = 4;

  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  /// The processes go on.
  ~Children();

  /// Runs this program with other words; it prints into the log. @throws Error(usage) while too many run,
  /// Error(outside)
  Started& start(const std::string& study, const std::vector<std::string>& words, const std::filesystem::path& log);
  std::vector<Started>& all() { return all_; }
  /// Names of those that run.
  std::vector<std::string> running();

 private:
  std::vector<Started> all_;
};

}  // namespace dlrun::cli::agent
