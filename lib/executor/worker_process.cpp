// SPDX-License-Identifier: Apache-2.0
#include "executor/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <system_error>
#include <vector>

#include "util/cgroup.hpp"
#include "util/culprit.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/processes.hpp"

namespace dlrun::executor {

namespace {

bool is_fault(int number) {
  return number == SIGSEGV || number == SIGABRT || number == SIGBUS || number == SIGFPE || number == SIGILL ||
         number == SIGSYS || number == SIGTRAP;
}

std::int64_t size_of(const std::filesystem::path& file) {
  std::error_code fault;
  const auto size = std::filesystem::file_size(file, fault);
  return fault ? 0 : static_cast<std::int64_t>(size);
}

/// Does the environment of the process have this variable, as "NAME=value"?
bool has_variable(pid_t pid, const std::string& variable) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  for (std::string one; std::getline(file, one, '\0');) {
    if (one == variable) return true;
  }
  return false;
}

[[noreturn]] void refuse_start(const std::filesystem::path& binary, int fault) {
  throw Error(is_of_machine(fault) ? ErrorKind::outside : ErrorKind::no_worker,
              "cannot start worker '" + binary.string() + "': " + std::generic_category().message(fault));
}

}  // namespace

WorkerProcess::WorkerProcess(const ProcessOptions& options)
    : group_(options.places.memory),
      mark_(fmt::format("DLRUN_WORKER={}.{}", ::getpid(), options.worker)),
      kills_before_(oom_kills()),
      log_(options.log),
      log_start_(size_of(options.log)) {
  become_subreaper();
  process::Program program = {.arguments = arguments(options),
                              .environment = environment(),
                              .group = process::Group::session,
                              .unblocks_signals = true,
                              .default_signals = {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGXFSZ}};
  const Descriptor log(::open(options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.is_open()) refuse_start(options.binary, errno);
  program.descriptors = {{-1, 0}, {log.fd(), 1}, {log.fd(), 2}};
  child_ = process::Child(program);
  if (child_.fault() != 0) refuse_start(options.binary, child_.fault());
  if (child_.watch() < 0) give_up("cannot watch a worker");
}

std::vector<std::string> WorkerProcess::arguments(const ProcessOptions& options) const {
  std::vector<std::string> texts = {options.binary.string(), "--socket", options.socket.string(), "--worker",
                                    std::to_string(options.worker)};
  const Places& places = options.places;
  if (!places.cores.empty()) texts.insert(texts.end(), {"--cores", fmt::format("{}", fmt::join(places.cores, ","))});
  if (!places.gpu.empty()) texts.insert(texts.end(), {"--gpu", places.gpu});
  if (group_) texts.insert(texts.end(), {"--cgroup", group_->folder().string()});
  return texts;
}

/// Environment of this process, with the mark of this worker.
std::vector<std::string> WorkerProcess::environment() const {
  std::vector<std::string> variables{mark_};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("DLRUN_WORKER=")) variables.emplace_back(*variable);
  }
  return variables;
}

/// Ends a worker that cannot be watched for lack of descriptors, because its end would stay unseen.
/// @throws Error(outside)
void WorkerProcess::give_up(const std::string& what) {
  const int fault = errno;
  end();
  throw Error(ErrorKind::outside, what + ": " + std::generic_category().message(fault),
              "fewer --workers, or more open files (ulimit -n)");
}

int WorkerProcess::watch() {
  const int copy = ::fcntl(child_.watch(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) give_up("cannot watch a worker");
  return copy;
}

void WorkerProcess::end() {
  if (child_.pid() <= 0 || has_ended_) return;
  child_.kill();
  has_ended_ = true;
  end_children();
}

WorkerProcess::~WorkerProcess() { end(); }

void WorkerProcess::signal(int number) const {
  if (!has_ended_) ::kill(child_.pid(), number);
}

bool WorkerProcess::has_ended() {
  if (has_ended_) return true;
  if (!child_.has_ended()) return false;
  has_ended_ = true;
  end_children();
  return true;
}

/// Ends everything that the worker may have left behind. A command has a process group of its own, but the worker's
/// session; a process that has left the session too is known by a variable of its environment. The death of one process
/// may bring its children to this process, hence the rounds. One that does not die for a second, in a call of the
/// kernel that cannot be interrupted, is left: nothing else may wait for it.
void WorkerProcess::end_children() const {
  if (WIFEXITED(child_.status()) && WEXITSTATUS(child_.status()) == 0) return;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  std::set<pid_t> killed;
  while (kill_children(killed) && std::chrono::steady_clock::now() < until) ::poll(nullptr, 0, 1);
}

/// Kills processes of the worker, and reaps those that came to this process. True: some did, or none can be listed.
/// @param killed  those of earlier rounds that are not reaped: one that is ending has no environment any more, but its
///                children come to this process only at its end
bool WorkerProcess::kill_children(std::set<pid_t>& killed) const {
  const auto all = processes();
  bool is_any_ours = !all;
  for (const Process& process : all.value_or(std::vector<Process>())) {
    const bool is_of_session = process.session == child_.pid();
    const bool is_orphan = process.parent == ::getpid() &&
                           (is_of_session || killed.contains(process.pid) || has_variable(process.pid, mark_));
    if (is_orphan || is_of_session) ::kill(process.pid, SIGKILL);
    if (is_orphan) killed.insert(process.pid);
    if (is_orphan && ::waitpid(process.pid, nullptr, WNOHANG) == process.pid) killed.erase(process.pid);
    is_any_ours = is_any_ours || is_orphan;
  }
  return is_any_ours;
}

Ending WorkerProcess::ending() const {
  const int status = child_.status();
  if (WIFEXITED(status)) {
    const bool is_outside = WEXITSTATUS(status) == static_cast<int>(ErrorKind::outside);
    return {is_outside ? trial::Cause::machine : trial::Cause::worker_lost,
            "the worker ended with " + process::end_text(status)};
  }
  const int number = WTERMSIG(status);
  const std::string message = "killed by " + process::end_text(status);
  if (number == SIGKILL && oom_kills() > kills_before_) return {trial::Cause::oom, "out of memory: " + message};
  if (is_fault(number)) return {trial::Cause::signal, message + culprit_in(log_tail())};
  return {trial::Cause::worker_lost, message};
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
