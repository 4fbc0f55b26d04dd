// SPDX-License-Identifier: Apache-2.0
#include "util/processes.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace dlrun {

namespace {

/// Whether what was asked for may be there: descriptors or memory were lacking to see it.
bool is_lack(int fault) { return fault == EMFILE || fault == ENFILE || fault == ENOMEM; }

/// A file of /proc. Not open: it is gone.
/// @throws std::system_error where the machine lacks what it takes to open it
std::ifstream opened(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path);
  if (!file.is_open() && is_lack(errno)) throw std::system_error(errno, std::generic_category(), path.string());
  return file;
}

/// Entries of a folder of /proc; none: it is gone. @throws as opened()
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> all;
  std::error_code fault;
  std::filesystem::directory_iterator entry(folder, fault);
  for (; !fault && entry != std::filesystem::directory_iterator(); entry.increment(fault)) all.push_back(entry->path());
  if (is_lack(fault.value())) throw std::system_error(fault, folder.string());
  return all;
}

/// nullopt: it cannot be said, for want of descriptors or memory.
template <class Look>
auto if_visible(Look look) -> std::optional<decltype(look())> {
  try {
    return look();
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

/// False: it is gone. The name in parentheses may hold anything.
bool read_stat(Process& process) {
  std::ifstream file = opened("/proc/" + std::to_string(process.pid) + "/stat");
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
bool is_for_writing(const std::filesystem::path& info) {
  std::ifstream file = opened(info);
  for (std::string name, value; file >> name >> value;) {
    if (name == "flags:") return (std::stoul(value, nullptr, 8) & O_ACCMODE) != O_RDONLY;
  }
  return false;
}

std::vector<Process> all_processes() {
  std::vector<Process> out;
  for (const std::filesystem::path& entry : entries("/proc")) {
    const std::string name = entry.filename().string();
    Process process;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), process.pid);
    const bool is_number = wrong == std::errc() && end == name.data() + name.size();
    if (is_number && read_stat(process)) out.push_back(process);
  }
  return out;
}

std::vector<pid_t> listed_children(pid_t pid) {
  std::vector<pid_t> children;
  for (const std::filesystem::path& thread : entries("/proc/" + std::to_string(pid) + "/task")) {
    std::ifstream file = opened(thread / "children");
    for (pid_t child = 0; file >> child;) children.push_back(child);
  }
  return children;
}

/// By the files in the process's fd and fdinfo.
bool finds_for_writing(const std::filesystem::path& process, const struct stat& wanted) {
  for (const std::filesystem::path& open : entries(process / "fd")) {
    struct stat facts {};
    if (::stat(open.c_str(), &facts) != 0) continue;
    const bool is_it = facts.st_dev == wanted.st_dev && facts.st_ino == wanted.st_ino;
    if (is_it && is_for_writing(process / "fdinfo" / open.filename())) return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<Process>> processes() { return if_visible(all_processes); }

std::optional<std::vector<pid_t>> children_of(pid_t pid) {
  static const bool has_lists = std::filesystem::exists("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  if (!has_lists) return std::nullopt;
  return if_visible([pid] { return listed_children(pid); });
}

bool has_ended(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

bool has_no_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

std::optional<bool> has_open_for_writing(pid_t pid, const std::string& file) {
  struct stat wanted {};
  if (::stat(file.c_str(), &wanted) != 0) return false;
  return if_visible([&] { return finds_for_writing("/proc/" + std::to_string(pid), wanted); });
}

void become_subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

}  // namespace dlrun
