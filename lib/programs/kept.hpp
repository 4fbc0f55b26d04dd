// SPDX-License-Identifier: Apache-2.0
// One program over all pieces of its trial, in the process of its keeper.
#pragma once
#include <chrono>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "programs/callers.hpp"
#include "programs/progress.hpp"
#include "programs/talk.hpp"

namespace dlrun::programs {

/// Runs the program while a piece is asked for. At the line that ends the piece (the last needed metric of its last
/// step) the program is stopped with all below it; output behind that line waits, and is the next piece's. In the last
/// piece of the trial it runs to its end. A program that ends with exit code 85 is started again from its checkpoint.
/// A client waits for a line about its next piece instead, and nothing has to be stopped.
class Kept {
 public:
  /// @param running  a server (python/dlrun/forking.py), which waits for its first trial; nullopt: the program is
  /// started
  ///                 with its first piece
  Kept(Start start, Channel owner, std::optional<Running> running = {});

  /// Returns when the program was ended as asked, or its owner has gone; then nothing is left of the program.
  void serve();

 private:
  using Clock = std::chrono::steady_clock;

  void wait();
  bool hear();
  bool answer();
  void begin(const RunPiece& piece, Caller caller);
  void interrupt();
  void say(const Answer& answer) { callers_.say(caller_, to_line(answer)); }
  void tell_owner(bool is_lent, std::int64_t step);
  void resume();
  void launch();
  void start();
  void tell_piece();
  void renew(NextTrial next);
  void end(const EndProgram& end);
  void ask_to_end(const EndProgram& end);
  void kill();
  void stop();
  std::int64_t peak_rss(const std::set<pid_t>& running) const;
  std::int64_t held_by(std::set<pid_t> processes) const;
  void take_lines();
  void take_line(Stream stream, const std::string& line);
  void tell_fresh();
  void tell_alive();
  void note_progress();
  void judge_line();
  void judge_waiting();
  void leave_trial();
  void end_orphans();
  void park();
  void judge_end();
  bool may_run_again();
  void finish(bool is_parked, const std::string& message = {});

  Start start_;
  Callers callers_;
  Reports reports_;
  std::optional<Running> running_;
  const bool is_server_;  ///< the program forks a process for each trial
  std::optional<Subprocess> program_;
  bool has_ended_ = false;  ///< the program, and all its output was read
  std::deque<std::pair<Stream, std::string>> lines_;
  std::optional<RunPiece> piece_;
  ProgressFile progress_;                        ///< in this piece
  std::vector<Checkpoint> stamped_;              ///< checkpoints that progress_ may want
  Caller caller_ = Caller::owner;                ///< asked for the piece
  bool is_stopped_ = false;                      ///< by a signal
  bool is_ending_ = false;                       ///< the program was asked to end
  bool is_leaving_ = false;                      ///< an interpreter was asked to leave its trial
  bool is_free_ = false;                         ///< an interpreter has left its trial
  std::optional<Clock::time_point> grace_ends_;  ///< then it is killed
  Clock::time_point next_sign_{};                ///< no Alive before
  int runs_ = 0;                                 ///< since the checkpoint got on, or the first one
  std::int64_t resumed_step_ = -1;               ///< farthest one at which a run by exit code 85 began
  StartFault fault_ = StartFault::none;
};

}  // namespace dlrun::programs
