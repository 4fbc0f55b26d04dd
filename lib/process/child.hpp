// SPDX-License-Identifier: Apache-2.0
// A program that was started, until its end.
#pragma once
#include <sys/types.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "process/ends.hpp"
#include "process/program.hpp"

namespace dlrun::process {

/// If it still runs at the end of the object, it is killed, with its group if it has one of its own, and reaped; see
/// kill().
class Child {
 public:
  /// None.
  Child() = default;
  /// Returns when the program runs, or when it is known why it cannot; see fault(). REQUIRES: there are arguments.
  explicit Child(const Program& program);
  /// A process that is a child of ours already, and leads a group of its own.
  static Child adopted(pid_t pid);
  ~Child() { kill(); }
  Child(Child&& other) noexcept { *this = std::move(other); }
  Child& operator=(Child&& other) noexcept;

  /// errno of the start that failed: of the fork, of a descriptor, of the folder or of the exec. 0: it was started.
  int fault() const { return fault_; }
  /// -1: it was not started.
  pid_t pid() const { return pid_; }
  /// Becomes readable with its end; -1: no descriptor was left for it.
  int watch() const { return watch_.fd(); }

  /// Reaps it if it has ended. True once it has.
  bool has_ended() { return has_ended_ || reap(WNOHANG); }
  /// Waits for its end, however long that takes.
  void wait();
  /// Waits for its end, but not longer than this. @return whether it has ended
  bool wait_for(std::chrono::milliseconds most);
  /// Kills it, with its group if it has one of its own, and reaps it. One that does not die in time, in a call of the
  /// kernel that cannot be interrupted, is left to itself.
  void kill(std::chrono::milliseconds most = std::chrono::seconds(5));
  /// Waits for its end, and kills it where that takes longer than this.
  void finish(std::chrono::milliseconds most = std::chrono::seconds(5));
  /// Leaves a running program to itself: it outlives the object, and the process if it has a session of its own.
  void let_go() { has_ended_ = true; }
  /// To the program until it was reaped; to its own group also afterwards, for what the program left behind.
  void signal(int number) const;

  /// As wait() gives it, once it has ended. That of a killed process if somebody else has reaped it.
  int status() const { return status_; }
  /// Bytes that it held at its peak, or the largest of the children that it waited for; once it has ended.
  std::int64_t peak_memory() const { return peak_memory_; }

 private:
  bool reap(int options);

  pid_t pid_ = -1;
  int fault_ = 0;
  bool has_group_ = false;
  bool has_ended_ = true;
  int status_ = 0;
  std::int64_t peak_memory_ = 0;
  Descriptor watch_;
};

/// End of a process, by its status: "signal 9 (Killed)" or "exit code 3".
std::string end_text(int status);

}  // namespace dlrun::process
