// SPDX-License-Identifier: Apache-2.0
#include "executor/oom_counter.hpp"

#include <fstream>
#include <string>

namespace dlrun::executor {

namespace {

/// The value after "oom_kill " in a file of "key value" lines; 0 where it is missing.
std::int64_t counter_in(const std::string& path) {
  std::ifstream file(path);
  std::string key;
  std::int64_t value = 0;
  while (file >> key >> value) {
    if (key == "oom_kill") return value;
  }
  return 0;
}

/// A line of /proc/self/cgroup: "4:memory:/a/b" (version 1) or "0::/a/b" (version 2).
std::string counter_path(const std::string& line) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return {};
  const std::string controllers = line.substr(first + 1, second - first - 1);
  const std::string group = line.substr(second + 1);
  if (controllers.empty()) return "/sys/fs/cgroup" + group + "/memory.events";
  if (controllers == "memory") return "/sys/fs/cgroup/memory" + group + "/memory.oom_control";
  return {};
}

}  // namespace

std::int64_t oom_kills() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  std::int64_t total = 0;
  while (std::getline(file, line)) {
    if (const std::string path = counter_path(line); !path.empty()) total += counter_in(path);
  }
  return total;
}

}  // namespace dlrun::executor
