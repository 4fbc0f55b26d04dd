// SPDX-License-Identifier: Apache-2.0
// History of hosts as earlier drivers saw it, from the log and from the rows of attempts beside it.
#pragma once
#include <chrono>
#include <optional>

#include "driver/blame.hpp"
#include "driver/crowded.hpp"
#include "storage/store.hpp"

namespace dlrun::driver {

/// Learns from a replayed log what the last driver knew of hosts and trials, and which pieces must run alone. The log
/// has the order and the causes, the attempts' rows have the host and the time. Attempts that no worker carried out say
/// nothing, nor do measurements of the test split, which have no rows.
///
/// Times are the wall clock's: they decide for how long a host stays quarantined, never a result. An attempt that seems
/// to have ended in the future (the clock was set back) counts as ended just now, so no host is quarantined for longer
/// than its pause.
class Memory {
 public:
  /// @param store, blame, crowded  outlive it
  Memory(const storage::Store& store, Blame& blame, Crowded& crowded, Blame::Time now);
  /// Replays the next event in the order of the log.
  void replay(const study::Event& event);

 private:
  void remember_crowded(const trial::PieceKey& piece, int attempt, std::optional<trial::Cause> loss);
  void remember(const trial::PieceKey& piece, int attempt, std::optional<trial::Cause> loss);

  const storage::Store& store_;
  Blame& blame_;
  Crowded& crowded_;
  Blame::Time now_;
  std::chrono::milliseconds today_;  ///< the same moment, since 1970
};

}  // namespace dlrun::driver
