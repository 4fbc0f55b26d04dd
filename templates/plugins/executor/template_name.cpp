// SPDX-License-Identifier: Apache-2.0
// Starts workers as processes of this machine. dlrun/plugin/executor.hpp has the contract.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <dlrun/plugin/executor.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>

namespace plugin = dlrun::plugin;

namespace {

namespace process {

/// The time at which a process began, in ticks since the machine's start, and whether it still runs.
struct Birth {
  std::string time;  ///< empty: there is no such process
  bool is_dead = false;
};

Birth birth_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::size_t at = text.rfind(')');  // ends the program's name, which may have blanks
  if (at == std::string::npos) return {};
  Birth birth;
  birth.is_dead = text[at + 2] == 'Z';
  for (int field = 2; field < 22; ++field) at = text.find(' ', at + 1);  // the 22nd
  birth.time = text.substr(at + 1, text.find(' ', at + 1) - at - 1);
  return birth;
}

}  // namespace process

class TemplateName final : public plugin::Executor {
 public:
  /// The values of its keys, checked and with defaults.
  explicit TemplateName(const plugin::Options& options) : nice_(static_cast<int>(options.integer("nice"))) {}

  std::optional<std::string> start(const plugin::Worker& worker) override {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    const pid_t pid = ::fork();
    if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid == 0) become(worker);
    ::close(ends[1]);
    char none = 0;  // the pipe ends with the exec: from then on the worker has a session of its own
    while (::read(ends[0], &none, 1) < 0 && errno == EINTR) {
    }
    ::close(ends[0]);
    // Numbers of processes are used again: with its birth a handle names a process for good.
    return std::to_string(pid) + "@" + process::birth_of(pid).time;
  }

  std::vector<plugin::WorkerState> state(const std::vector<std::string>& handles) override {
    std::vector<plugin::WorkerState> states;
    for (const std::string& handle : handles) states.push_back(state_of(handle));
    return states;
  }

  /// SIGTERM lets a worker save.
  void stop(const std::string& handle) override {
    if (state_of(handle).phase != plugin::WorkerPhase::ended) ::kill(pid_of(handle), SIGTERM);
  }

 private:
  /// The new process: a session of its own, so that it outlives the plugin, with its output in the log.
  [[noreturn]] void become(const plugin::Worker& worker) const {
    ::setsid();
    const int none = ::open("/dev/null", O_RDONLY);
    const int log = ::open(worker.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ::dup2(none, STDIN_FILENO);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    for (const auto& [name, value] : worker.environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (nice_ > 0) ::setpriority(PRIO_PROCESS, 0, nice_);
    std::vector<char*> words;
    for (const std::string& word : worker.command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }

  plugin::WorkerState state_of(const std::string& handle) {
    if (const auto known = ended_.find(handle); known != ended_.end()) return known->second;
    const pid_t pid = pid_of(handle);
    const process::Birth birth = process::birth_of(pid);
    if (birth.time.empty() || handle != std::to_string(pid) + "@" + birth.time) return {};
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) return ended_[handle] = end_of(status);
    return birth.is_dead ? plugin::WorkerState{}
                         : plugin::WorkerState{plugin::WorkerPhase::running};  // another's child has no code for us
  }

  static plugin::WorkerState end_of(int status) {
    constexpr int kSignalled = 128;
    if (WIFEXITED(status)) return {plugin::WorkerPhase::ended, WEXITSTATUS(status)};
    return {plugin::WorkerPhase::ended, kSignalled + WTERMSIG(status), "killed by a signal"};
  }

  /// 0 for what is no handle of ours.
  static pid_t pid_of(const std::string& handle) {
    const std::size_t at = handle.find('@');
    if (at == std::string::npos || at == 0 || handle.find_first_not_of("0123456789") != at) return 0;
    return static_cast<pid_t>(std::atol(handle.c_str()));
  }

  int nice_;
  std::map<std::string, plugin::WorkerState> ended_;  ///< children that were reaped
};

}  // namespace

DLRUN_EXECUTOR(TemplateName)
