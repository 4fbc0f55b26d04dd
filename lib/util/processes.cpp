// SPDX-License-Identifier: Apache-2.0
#include "util/processes.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
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

/// By "flags:" of a descriptor, which are octal.
bool is_for_writing(const std::string& info) {
  std::ifstream file(info);
  for (std::string name, value; file >> name >> value;) {
    if (name == "flags:") return (std::stoul(value, nullptr, 8) & O_ACCMODE) != O_RDONLY;
  }
  return false;
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

std::optional<std::vector<pid_t>> children_of(pid_t pid) {
  namespace fs = std::filesystem;
  static const bool has_lists = fs::exists("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  if (!has_lists) return std::nullopt;
  std::vector<pid_t> children;
  std::error_code fault;
  fs::directory_iterator thread("/proc/" + std::to_string(pid) + "/task", fault);
  for (; !fault && thread != fs::directory_iterator(); thread.increment(fault)) {
    std::ifstream file(thread->path() / "children");
    for (pid_t child = 0; file >> child;) children.push_back(child);
  }
  return children;
}

bool has_no_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

bool has_open_for_writing(pid_t pid, const std::string& file) {
  struct stat wanted {};
  if (::stat(file.c_str(), &wanted) != 0) return false;
  const std::string process = "/proc/" + std::to_string(pid);
  std::error_code fault;
  std::filesystem::directory_iterator open(process + "/fd", fault);
  for (; !fault && open != std::filesystem::directory_iterator(); open.increment(fault)) {
    struct stat facts {};
    if (::stat(open->path().c_str(), &facts) != 0) continue;
    const bool is_it = facts.st_dev == wanted.st_dev && facts.st_ino == wanted.st_ino;
    if (is_it && is_for_writing(process + "/fdinfo/" + open->path().filename().string())) return true;
  }
  return false;
}

void become_subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

}  // namespace dlrun
