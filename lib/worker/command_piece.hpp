// SPDX-License-Identifier: Apache-2.0
// One piece of one program, and the verdict on how it ended.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "programs/keeper.hpp"
#include "programs/progress.hpp"
#include "trial/runner.hpp"
#include "worker/command_settings.hpp"
#include "worker/command_verdict.hpp"
#include "worker/silence.hpp"
#include "worker/waiting_programs.hpp"

namespace dlrun::worker {

/// To be run once; what it was made from outlives it.
class CommandPiece {
 public:
  CommandPiece(const trial::WorkSetup& setup, const trial::PieceOrder& order, trial::Host& host);

  /// @throws trial::Stopped where the host asks for it.
  trial::PieceResult run(programs::Channel& keeper);

  /// The socket at which the program waits; empty: it does not.
  std::string parked_at() const;

  /// The program as it waits for the next piece.
  Waiting waiting(std::unique_ptr<programs::Keeper> keeper) const;

  /// The start of a program for a piece that no program waits for.
  programs::Start prepare();

  bool has_client() const;

  /// False: the keeper has ended or has left the trial before it said anything of this piece.
  bool was_heard() const;

  /// The program is an interpreter that can have another trial.
  bool has_freed() const;

  /// Whether the program failed before a further step, when it was to go on from an attempt that did not end the piece.
  bool could_not_go_on() const;

 private:
  /// Looks for progress of an earlier attempt. Its values are this attempt's too.
  bool go_on();
  FirstFiles files_of_progress() const;
  void add_earlier();
  /// @throws Error(store) for one that is missing or damaged.
  FirstFiles first_files() const;
  programs::Listener listener();
  void hear();
  void note_printed(const programs::Printed& printed);
  std::optional<double> wants_end();
  void note_divergence(const trial::Report& report);
  /// A program whose name is no parameter's was there when the study began.
  void require_start() const;
  bool is_to_stop() const;
  void judge();
  double last_objective() const;
  void keep_files();
  /// The copy is checked, because the program can write its own file again.
  void keep_examples(const programs::Checkpoint& file);
  /// About values that do not count.
  std::string remark() const;

  const trial::WorkSetup& setup_;
  const trial::PieceOrder& order_;
  trial::Host& host_;
  CommandSettings settings_;
  std::optional<programs::Progress> goes_on_from_;
  programs::PieceOver over_;
  trial::PieceResult result_;
  Heard heard_;
  bool is_stopped_ = false;
  Silence silence_{setup_.silence_limit};
  bool was_heard_ = false;
  std::int64_t kills_before_ = 0;  ///< kills by the kernel's OOM killer, when the piece began
};

}  // namespace dlrun::worker
