// SPDX-License-Identifier: Apache-2.0
// What earlier drivers saw of hosts, from the log and from the rows of attempts beside it.
#pragma once
#include <chrono>
#include <optional>

#include "driver/blame.hpp"
#include "driver/crowded.hpp"
#include "storage/store.hpp"

namespace dlrun::driver {

/// Makes of a replayed log what the last driver knew of hosts and trials, and which pieces are to run alone. The log
/// says in which order and why, the attempts' rows on which host and when. Attempts that no worker carried out say
/// nothing, nor do measurements of the test split, which have no rows.
///
/// Times are the wall clock's: they decide for how long a host stays aside, never a result. What seems to have ended in
/// the future (the clock was set back) ended just now, so no host is set aside for longer than its pause.
class Memory {
 public:
  /// @param store, blame, crowded  outlive it
  Memory(const storage::Store& store, Blame& blame, Crowded& crowded, Blame::Time now);
  /// In the order of the log.
  void take(const study::Event& event);

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
