// SPDX-License-Identifier: Apache-2.0
// The processes that train a trial's ranks beside this one, for as many pieces as they last.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "gang/crew.hpp"
#include "trial/runner.hpp"
#include "util/json.hpp"

namespace dlrun::train {

class GangLeader {
 public:
  /// Processes for a piece, told about it; those of the piece before if they are as many.
  /// @param trial  the piece's configuration
  /// @return lent until the next call; nullptr: one process plays or replays all ranks, or there are none
  /// @throws Error(outside) if they cannot be started
  gang::Place* gather(const Json& trial, const trial::WorkSetup& setup, const trial::PieceOrder& order);
  /// Ends them, wherever they are.
  void dismiss() { crew_.reset(); }

  /// A piece of theirs: where it does not come to its end, neither do they go on.
  class Piece {
   public:
    explicit Piece(GangLeader& leader) : leader_(leader) {}
    ~Piece() {
      if (!has_ended_) leader_.dismiss();
    }
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;
    void note_end() { has_ended_ = true; }

   private:
    GangLeader& leader_;
    bool has_ended_ = false;
  };
  /// "rank 2 ended by signal 9 (Killed)"
  std::string end_text(int process);
  /// "rank 2, server 0 do not answer". Afterwards the processes are of no more use.
  std::string silent_text();

 private:
  void send_order();
  std::string name_of(int process) const;

  std::optional<gang::Crew> crew_;
  std::string order_;  ///< the last one, as it is sent
  int ranks_ = 0;      ///< the other processes are servers
};

/// Serves the first process: orders, and their epochs, until it hangs up. @param process  as gang::Follower has it
/// @return exit code
int follow(std::optional<int> process);

/// The program that runs here, even if its file was replaced.
std::filesystem::path own_program();

}  // namespace dlrun::train
