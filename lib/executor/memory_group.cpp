// SPDX-License-Identifier: Apache-2.0
#include "executor/memory_group.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string_view>
#include <system_error>
#include <thread>

#include "util/error.hpp"
#include "util/processes.hpp"

namespace dlrun::executor {

namespace fs = std::filesystem;

namespace {

/// Writes a value to a control file. @return 0, or errno: these files take a value in one write and answer with it.
int set(const fs::path& file, const std::string& value) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int fault = ::write(fd, value.data(), value.size()) < 0 ? errno : 0;
  ::close(fd);
  return fault;
}

bool has_word(const fs::path& file, const std::string& wanted) {
  std::ifstream in(file);
  for (std::string word; in >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

/// Process id of the driver that made the group, from the group's name; nullopt: no driver made it.
std::optional<pid_t> driver_of(const std::string& name) {
  constexpr std::string_view kStart = "dlrun-";
  pid_t pid = 0;
  if (!name.starts_with(kStart)) return std::nullopt;
  const auto [end, fault] = std::from_chars(name.data() + kStart.size(), name.data() + name.size(), pid);
  return fault == std::errc() && *end == '-' && pid > 0 ? std::optional(pid) : std::nullopt;
}

std::string own_prefix() { return fmt::format("dlrun-{}-", ::getpid()); }

}  // namespace

MemoryGroup::MemoryGroup(const Cgroup& parent, const std::string& name, std::int64_t bytes)
    : group_{parent.folder / name, parent.version} {
  std::error_code fault;
  fs::create_directory(group_.folder, fault);
  if (fault) throw Error(ErrorKind::outside, "cannot make '" + group_.folder.string() + "': " + fault.message());
  const std::string limit = std::to_string(bytes);
  const fs::path file = group_.file("memory.limit_in_bytes", "memory.max");
  if (const int refused = set(file, limit)) {
    ::rmdir(group_.folder.c_str());
    throw Error(ErrorKind::outside,
                "cannot write '" + file.string() + "': " + std::generic_category().message(refused));
  }
  set(group_.file("memory.memsw.limit_in_bytes", "memory.swap.max"), group_.version == 1 ? limit : "0");
}

MemoryGroup::~MemoryGroup() {
  constexpr int kTries = 50;  // a killed process is gone a moment later
  for (int i = 0; i < kTries && ::rmdir(group_.folder.c_str()) != 0 && errno == EBUSY; ++i) {
    kill_rest();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void MemoryGroup::kill_rest() const {
  if (group_.version == 2 && set(group_.folder / "cgroup.kill", "1") == 0) return;
  std::ifstream processes(group_.folder / "cgroup.procs");
  for (pid_t pid = 0; processes >> pid;) ::kill(pid, SIGKILL);
}

std::unique_ptr<MemoryGroups> MemoryGroups::find() {
  auto parent = own_cgroup("memory");
  if (!parent) return nullptr;
  std::unique_ptr<MemoryGroups> groups(new MemoryGroups(std::move(*parent)));
  return groups->open() ? std::move(groups) : nullptr;
}

MemoryGroups::~MemoryGroups() {
  if (is_below_) move_back();
}

std::unique_ptr<MemoryGroup> MemoryGroups::make(std::int64_t worker, std::int64_t bytes) const {
  return std::make_unique<MemoryGroup>(parent_, own_prefix() + std::to_string(worker), bytes);
}

bool MemoryGroups::open() {
  if (::access((parent_.folder / "cgroup.procs").c_str(), W_OK) != 0) return false;
  remove_stale();
  if (parent_.version == 2 && !has_word(parent_.folder / "cgroup.subtree_control", "memory") && !enable()) return false;
  return try_one();
}

/// Gives groups below a limit of memory of their own (version 2).
bool MemoryGroups::enable() {
  const fs::path file = parent_.folder / "cgroup.subtree_control";
  int fault = set(file, "+memory");
  if (fault == EBUSY) {
    move_below();
    fault = set(file, "+memory");
  }
  return fault == 0;
}

void MemoryGroups::move_below() {
  const fs::path folder = parent_.folder / (own_prefix() + "driver");
  std::error_code fault;
  fs::create_directory(folder, fault);
  is_below_ = !fault && set(folder / "cgroup.procs", std::to_string(::getpid())) == 0;
}

/// Undoes the division of the driver's group, because processes can be in leaves only. No other process was in there.
void MemoryGroups::move_back() {
  set(parent_.folder / "cgroup.subtree_control", "-memory");
  set(parent_.folder / "cgroup.procs", std::to_string(::getpid()));
  ::rmdir((parent_.folder / (own_prefix() + "driver")).c_str());
}

/// Removes the groups of drivers that were killed. Only an empty group can be removed.
void MemoryGroups::remove_stale() const {
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(parent_.folder, fault)) {
    const auto driver = driver_of(entry.path().filename().string());
    if (driver && has_ended(*driver)) ::rmdir(entry.path().c_str());
  }
}

bool MemoryGroups::try_one() const {
  try {
    const MemoryGroup tried(parent_, own_prefix() + "try", std::int64_t(1) << 30);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace dlrun::executor
