// SPDX-License-Identifier: Apache-2.0
#include "util/cgroup.hpp"

#include <fstream>

namespace dlrun {

namespace fs = std::filesystem;

namespace {

const fs::path kMount = "/sys/fs/cgroup";

/// A line of /proc/self/cgroup: "4:memory:/a/b" (version 1) or "0::/a/b" (version 2, its controllers not said).
struct Line {
  std::string controllers;
  fs::path group;  ///< relative

  explicit Line(const std::string& text) {
    const std::size_t first = text.find(':'), second = text.find(':', first + 1);
    if (second == std::string::npos) return;
    controllers = text.substr(first + 1, second - first - 1);
    group = fs::path(text.substr(second + 1)).relative_path();
  }
  bool has(const std::string& controller) const {
    return ("," + controllers + ",").find("," + controller + ",") != std::string::npos;
  }
};

/// Folder of a group below a mount. In a container the path may lead outside: what is mounted is its own group.
fs::path below(const fs::path& mount, const fs::path& group) {
  std::error_code none;
  return fs::is_directory(mount / group, none) ? mount / group : mount;
}

}  // namespace

std::optional<Cgroup> own_cgroup(const std::string& controller) {
  std::ifstream file("/proc/self/cgroup");
  std::optional<Cgroup> newer;
  for (std::string text; std::getline(file, text);) {
    const Line line(text);
    if (line.has(controller)) return Cgroup{below(kMount / controller, line.group), 1};
    if (text.starts_with("0::")) newer = Cgroup{below(kMount, line.group), 2};
  }
  return newer;
}

std::string first_word(const fs::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

std::int64_t oom_kills(const Cgroup& group) {
  std::ifstream file(group.file("memory.oom_control", "memory.events"));
  std::string key;
  std::int64_t value = 0;
  while (file >> key >> value) {
    if (key == "oom_kill") return value;
  }
  return 0;
}

std::int64_t oom_kills() {
  const auto group = own_cgroup("memory");
  return group ? oom_kills(*group) : 0;
}

}  // namespace dlrun
