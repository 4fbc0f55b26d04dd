// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <dlrun/plugin/executor.hpp>
#include <stdexcept>
#include <thread>

using namespace dlrun::plugin;

class Bad final : public Executor {
 public:
  explicit Bad(const Options& options)
      : how_(options.text("how")), in_(options.text("in")), after_(options.integer("after")) {
    if (how_ == "constructor") throw std::runtime_error("the moon is wrong");
  }

  std::optional<std::string> start(const Worker& worker) override {
    if (fails("start")) {
      if (how_ == "empty") return "";
      if (how_ == "same") return first_ = first_.empty() ? spawn({"/bin/sleep", "300"}) : first_;
      if (how_ == "bytes") return "\xFF";
      if (how_ == "early") return spawn_and_await({"/bin/sh", "-c", "exit 3"});
    }
    if (how_ == "full" && starts_++ % 2 == 0) return std::nullopt;
    return spawn(worker.command);
  }

  std::vector<WorkerState> state(const std::vector<std::string>& handles) override {
    const bool is_wrong = fails("state");
    if (is_wrong && how_ == "empty") return {};
    std::vector<WorkerState> states;
    for (const std::string& handle : handles) states.push_back(state_of(handle));
    if (is_wrong && how_ == "bytes") states.at(0).reason = "\xFF";
    if (is_wrong && how_ == "unknown") states.at(0).phase = WorkerPhase(7);
    return states;
  }

  void stop(const std::string& handle) override {
    fails("stop");
    if (how_ != "blind") ::kill(std::stoi(handle), SIGTERM);
  }

 private:
  /// Does what it does wrong in every call, where this is such a call.
  bool fails(const char* call) {
    if (in_ != call || calls_++ < after_) return false;
    if (how_ == "crash") std::raise(SIGSEGV);
    if (how_ == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    if (how_ == "throw") throw std::runtime_error("the host is asleep");
    if (how_ == "odd") throw 7;
    return true;
  }

  static std::string spawn(std::vector<std::string> command) {
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    posix_spawn_file_actions_t streams;
    ::posix_spawn_file_actions_init(&streams);
    for (int stream = 0; stream < 3; ++stream)
      ::posix_spawn_file_actions_addopen(&streams, stream, "/dev/null", O_RDWR, 0);
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    pid_t pid = 0;
    ::posix_spawn(&pid, words[0], &streams, &attributes, words.data(), environ);
    return std::to_string(pid);
  }

  /// The handle of a program that has ended already: whoever asks never sees it run.
  static std::string spawn_and_await(std::vector<std::string> command) {
    const std::string handle = spawn(std::move(command));
    ::waitpid(std::stoi(handle), nullptr, 0);
    return handle;
  }

  WorkerState state_of(const std::string& handle) const {
    const int pid = std::stoi(handle);
    ::waitpid(pid, nullptr, WNOHANG);
    return ::kill(pid, 0) == 0 ? WorkerState{WorkerPhase::running} : WorkerState{};
  }

  std::string how_, in_, first_;
  std::int64_t after_;
  std::int64_t calls_ = 0, starts_ = 0;
};

DLRUN_EXECUTOR(Bad)
