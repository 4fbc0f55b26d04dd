// SPDX-License-Identifier: Apache-2.0
// A program whose keeper is a process below ours.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "process/child.hpp"
#include "process/watched.hpp"
#include "programs/channel.hpp"
#include "programs/spared.hpp"
#include "programs/talk.hpp"

namespace dlrun::programs {

/// Whom a piece tells what happens meanwhile.
struct Listener {
  std::function<void(const Printed&)> printed;
  std::function<void(const trial::Report&)> measured;
  /// Asked again and again. A grace in seconds: the program shall end; 0: at once.
  std::function<std::optional<double>()> wants_end;
  /// The program has printed or reported something, whatever it was.
  std::function<void()> heard = [] {};
};

/// Runs a piece of the program whose keeper is at the other end.
PieceOver run_piece(Channel& keeper, const RunPiece& piece, const Listener& listener);

/// Program of one trial, from its start to its end. Between two pieces it is stopped.
class Keeper {
 public:
  /// The program starts with the first piece.
  /// @param binary  dlrun-worker    @throws Error(outside) if no process can be had
  Keeper(const std::filesystem::path& binary, const Start& start);
  /// A keeper that has started already, below another process of ours.
  Keeper(process::Watched keeper, Channel channel, const Start& start);
  /// Kills the program with all that it left.
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// Runs a piece.
  PieceOver run(const RunPiece& piece, const Listener& listener) { return run_piece(channel_, piece, listener); }
  Channel& channel() { return channel_; }
  /// Takes note of pieces that other workers began or ended meanwhile.
  /// @return the last news; nullopt: there are none
  std::optional<Lent> news();
  /// The program is an interpreter that has left its trial, as far as news() took note of it.
  bool is_free() const { return is_free_; }
  bool has_ended();
  /// Waits until it has ended, at most so long. @return has it?
  bool wait_for_end(std::chrono::milliseconds most);
  pid_t pid() const;
  /// Folder to which paths of its checkpoints are relative.
  const std::string& folder() const { return folder_; }
  /// Asks the program to end, and does not wait. It gets no other piece.
  void end(double grace) { channel_.say(to_line(EndProgram{grace})); }
  /// Asks the program to leave its trial. It is free, or has ended, soon.
  void leave(double grace);
  /// Waits until it is free or has ended, at most so long; not at all if nothing asked it to leave.
  void wait_until_free(std::chrono::milliseconds most);
  /// Gives a free interpreter its next trial.
  void renew(const Start& start);

 private:
  int watch() const;

  std::string folder_;
  std::variant<process::Child, process::Watched> process_;
  std::optional<Spared> spared_;
  Channel channel_;
  bool is_leaving_ = false;
  bool is_free_ = false;
  bool has_gone_ = false;  ///< and has left nothing
};

/// The process of a keeper: `dlrun-worker --keep`, with its channel as descriptor 3 and its start as descriptor 4.
/// @param program  runs already as our child, and its output, errors, reports and our words to it are descriptors 5 to
///                 8; nullopt: it is to be started
/// @return the exit code
int keep(std::optional<pid_t> program = {});

}  // namespace dlrun::programs
