// SPDX-License-Identifier: Apache-2.0
// A program as a child: own process group, pipes for its output, its reports (fd 3) and our messages to it (fd 4).
#pragma once
#include <poll.h>

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "process/child.hpp"

namespace dlrun::programs {

struct Launch {
  std::vector<std::string> arguments;    ///< [0] is searched in PATH
  std::vector<std::string> environment;  ///< complete, NAME=value
  std::string folder;                    ///< working directory; empty: ours
  bool hands_on_sigterm = false;         ///< the program gets SIGTERM alone, and ends by itself what it started
};

/// A program that runs below us already, with our ends of its pipes.
struct Running {
  process::Child child;
  Descriptor out, err, report, control;
};

/// Where a line came from.
enum class Stream { out, err, report };

/// Cuts bytes into lines. A line longer than 64 KiB loses the text that later carriage returns overwrite on a terminal;
/// if it is still longer, its end is dropped.
class LineCutter {
 public:
  static constexpr std::size_t kLimit = 64 << 10;
  void feed(std::string_view bytes, const std::function<void(std::string_view)>& line);
  /// The last line, where no newline ended it.
  void finish(const std::function<void(std::string_view)>& line);

 private:
  void add(std::string_view part);
  void end_line();

  std::string pending_;
  bool is_skipping_ = false;     ///< the limit is reached
  bool ends_in_return_ = false;  ///< so does the line as far as it has come
};

/// The program is killed with its whole group and all that descends from it when this goes out of scope, and always
/// reaped. This process becomes a subreaper: what the program left in a session of its own is found as its child.
class Subprocess {
 public:
  /// @throws Error(usage) where the program cannot be started, naming it and why.
  explicit Subprocess(const Launch& options);
  explicit Subprocess(Running running);
  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  using TakeLine = std::function<void(Stream, std::string_view)>;
  /// Descriptors to poll for its output and its end, and the longest time to poll them.
  struct Watch {
    std::array<pollfd, 5> items;
    std::optional<std::chrono::milliseconds> most;  ///< nullopt: any time
  };
  Watch watch() const;
  /// Hands over every line of what can be read. @param items  as watch() gave them, polled
  /// @return false: it has ended, and all its output was handed over
  bool read(const std::array<pollfd, 5>& items, const TakeLine& line);
  /// Hands over what it has printed so far, also a line that is not whole.
  void read_printed(const TakeLine& line);
  /// Waits up to `wait` for output or the end, and reads.
  bool pump(std::chrono::milliseconds wait, const TakeLine& line);
  /// A line on its fd 4, in parts if the pipe is full; a program that does not listen is no fault.
  void tell(std::string_view line);
  void signal_group(int number) const { child_.signal(number); }
  /// Stops it with all that descends from it, in whatever group, and returns when the program itself stands still or
  /// has ended, or after a tenth of a second.
  void stop();
  /// Continues all that was stopped.
  void go_on();
  /// Sends a signal to it and to all that descends from it (but see Launch::hands_on_sigterm); where these cannot be
  /// listed, to its group.
  void signal_all(int number) const;
  /// Processes that are ours and not below the program, because their parents have ended; none if they cannot be
  /// listed. Reaps those that have ended.
  std::set<pid_t> orphans() const;
  /// Kills them all.
  void end_orphans() const;
  pid_t pid() const { return child_.pid(); }
  /// Becomes readable when it ends; -1: nothing says so.
  int watch_end() const { return child_.watch(); }
  /// wait()'s status, once pump() returned false.
  int status() const { return child_.status(); }
  /// Bytes the program itself (or the largest of the children it waited for) held at its peak, once it has ended.
  std::int64_t peak_rss() const { return child_.peak_memory(); }

 private:
  void be_nonblocking() const;
  void read_from(std::size_t stream, const TakeLine& line);
  bool has_ended();
  void tell_rest();
  std::optional<std::set<pid_t>> processes() const;

  std::set<pid_t> spared_;   ///< descendants of this process that are not the program's
  std::set<pid_t> stopped_;  ///< processes that stand still since stop()
  bool hands_on_sigterm_;
  process::Child child_;
  Descriptor control_;
  std::string untold_;  ///< bytes for it that wait for room
  std::optional<std::chrono::steady_clock::time_point> ended_;
  std::array<Descriptor, 3> streams_;
  std::array<LineCutter, 3> cutters_;
};

}  // namespace dlrun::programs
