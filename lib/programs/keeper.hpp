// SPDX-License-Identifier: Apache-2.0
// A program whose keeper is a process below ours.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "process/child.hpp"
#include "programs/channel.hpp"
#include "programs/talk.hpp"

namespace dlrun::programs {

/// Whom a piece tells what happens meanwhile.
struct Listener {
  std::function<void(const Printed&)> printed;
  std::function<void(const trial::Report&)> measured;
  /// Asked again and again. A grace in seconds: the program shall end; 0: at once.
  std::function<std::optional<double>()> wants_end;
};

/// Runs a piece of the program whose keeper is at the other end.
PieceOver run_piece(Channel& keeper, const RunPiece& piece, const Listener& listener);

/// Program of one trial, from its start to its end. Between two pieces it is stopped.
class Keeper {
 public:
  /// The program starts with the first piece.
  /// @param binary  dlrun-worker    @throws Error(outside) if no process can be had
  Keeper(const std::filesystem::path& binary, const Start& start);
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
  bool has_ended() { return child_.has_ended(); }
  /// Waits until it has ended, at most so long. @return has it?
  bool wait_for_end(std::chrono::milliseconds most);
  pid_t pid() const { return child_.pid(); }
  /// Folder to which paths of its checkpoints are relative.
  const std::string& folder() const { return folder_; }
  /// Asks the program to end, and does not wait. It gets no other piece.
  void end(double grace) { channel_.say(to_line(EndProgram{grace})); }

 private:
  std::string folder_;
  process::Child child_;
  Channel channel_;
};

/// The process of a keeper: `dlrun-worker --keep`, with its channel as descriptor 3 and its start as descriptor 4.
/// @return the exit code
int keep();

}  // namespace dlrun::programs
