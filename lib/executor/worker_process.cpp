// SPDX-License-Identifier: Apache-2.0
#include "executor/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

#include "util/argv.hpp"
#include "util/cgroup.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/processes.hpp"

namespace dlrun::executor {

namespace {

/// What posix_spawn is to do in the child: own session, no blocked or ignored signals, output to the log.
struct SpawnPlan {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;

  explicit SpawnPlan(const std::filesystem::path& log) {
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_init(&actions);
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGXFSZ}) sigaddset(&usual, signal);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &usual);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  }
  ~SpawnPlan() {
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
  }
};

bool is_fault(int number) {
  return number == SIGSEGV || number == SIGABRT || number == SIGBUS || number == SIGFPE || number == SIGILL ||
         number == SIGSYS || number == SIGTRAP;
}

std::int64_t size_of(const std::filesystem::path& file) {
  std::error_code fault;
  const auto size = std::filesystem::file_size(file, fault);
  return fault ? 0 : static_cast<std::int64_t>(size);
}

/// Does its environment have this, as "NAME=value"?
bool has_variable(pid_t pid, const std::string& variable) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  for (std::string one; std::getline(file, one, '\0');) {
    if (one == variable) return true;
  }
  return false;
}

/// Kills and reaps a child, which may be an orphan that came to us.
void end_child(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

}  // namespace

WorkerProcess::WorkerProcess(const ProcessOptions& options)
    : group_(options.places.memory),
      mark_(fmt::format("DLRUN_WORKER={}.{}", ::getpid(), options.worker)),
      kills_before_(oom_kills()),
      log_(options.log),
      log_start_(size_of(options.log)) {
  become_subreaper();
  const SpawnPlan plan(options.log);
  std::vector<std::string> texts = {options.binary.string(), "--socket", options.socket.string(), "--worker",
                                    std::to_string(options.worker)};
  const Places& places = options.places;
  if (!places.cores.empty()) texts.insert(texts.end(), {"--cores", fmt::format("{}", fmt::join(places.cores, ","))});
  if (!places.gpu.empty()) texts.insert(texts.end(), {"--gpu", places.gpu});
  if (group_) texts.insert(texts.end(), {"--cgroup", group_->folder().string()});
  std::vector<std::string> variables{mark_};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("DLRUN_WORKER=")) variables.emplace_back(*variable);
  }
  const int fault = ::posix_spawn(&pid_, options.binary.c_str(), &plan.actions, &plan.attributes,
                                  pointers_to(texts).data(), pointers_to(variables).data());
  if (fault != 0) {
    pid_ = -1;
    throw Error(is_of_machine(fault) ? ErrorKind::outside : ErrorKind::no_worker,
                "cannot start worker '" + options.binary.string() + "': " + std::generic_category().message(fault));
  }
  pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (pidfd_ < 0) give_up("cannot watch a worker");
}

/// There is no descriptor left for it, and it would end unseen.
void WorkerProcess::give_up(const std::string& what) {
  const int fault = errno;
  end();
  throw Error(ErrorKind::outside, what + ": " + std::generic_category().message(fault),
              "fewer --workers, or more open files (ulimit -n)");
}

int WorkerProcess::watch() {
  const int copy = ::fcntl(pidfd_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) give_up("cannot watch a worker");
  return copy;
}

void WorkerProcess::end() {
  if (pid_ <= 0 || has_ended_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, &status_, 0);
  has_ended_ = true;
  end_children();
}

WorkerProcess::~WorkerProcess() {
  end();
  if (pidfd_ >= 0) ::close(pidfd_);
}

void WorkerProcess::signal(int number) const {
  if (!has_ended_) ::kill(pid_, number);
}

bool WorkerProcess::has_ended() {
  if (has_ended_) return true;
  if (::waitpid(pid_, &status_, WNOHANG) != pid_) return false;
  has_ended_ = true;
  end_children();
  return true;
}

/// Ends all that the worker may have left behind: a command has a process group of its own, but the worker's session; a
/// process that has left that too is known by a variable of its environment. The death of one may bring us its
/// children.
void WorkerProcess::end_children() const {
  constexpr int kMostRounds = 100;
  if (WIFEXITED(status_) && WEXITSTATUS(status_) == 0) return;
  for (int round = 0; round < kMostRounds && kill_children(); ++round) {
  }
}

/// True: some came to us and were ended.
bool WorkerProcess::kill_children() const {
  bool is_any_ours = false;
  for (const Process& process : processes()) {
    const bool is_orphan = process.parent == ::getpid() && has_variable(process.pid, mark_);
    if (is_orphan) end_child(process.pid);
    if (!is_orphan && process.session == pid_) ::kill(process.pid, SIGKILL);
    is_any_ours = is_any_ours || is_orphan;
  }
  return is_any_ours;
}

Ending WorkerProcess::ending() const {
  if (WIFEXITED(status_)) {
    const bool is_outside = WEXITSTATUS(status_) == static_cast<int>(ErrorKind::outside);
    return {is_outside ? trial::Cause::machine : trial::Cause::worker_lost,
            "the worker ended with exit code " + std::to_string(WEXITSTATUS(status_))};
  }
  const int number = WTERMSIG(status_);
  const std::string message = "killed by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
  if (number == SIGKILL && oom_kills() > kills_before_) return {trial::Cause::oom, "out of memory: " + message};
  return {is_fault(number) ? trial::Cause::signal : trial::Cause::worker_lost, message};
}

std::string WorkerProcess::log_tail(std::size_t limit) const {
  std::ifstream file(log_, std::ios::binary);
  const std::int64_t from = std::max(log_start_, size_of(log_) - static_cast<std::int64_t>(limit));
  file.seekg(from);
  std::string text(limit, '\0');
  file.read(text.data(), static_cast<std::streamsize>(limit));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

}  // namespace dlrun::executor
