// SPDX-License-Identifier: Apache-2.0
#include "util/processes.hpp"

#include <sys/prctl.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace dlrun {

namespace {

/// False: it is gone. The name in parentheses may hold anything.
bool read_stat(Process& process) {
  std::ifstream file("/proc/" + std::to_string(process.pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream fields(text.substr(name_end + 1));  // " S 17 18 19"
  char state = 0;
  pid_t group = 0;
  return bool(fields >> state >> process.parent >> group >> process.session);
}

}  // namespace

std::vector<Process> processes() {
  std::vector<Process> out;
  std::error_code fault;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", fault)) {
    const std::string name = entry.path().filename().string();
    Process process;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), process.pid);
    const bool is_number = wrong == std::errc() && end == name.data() + name.size();
    if (is_number && read_stat(process)) out.push_back(process);
  }
  return out;
}

void become_subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

}  // namespace dlrun
