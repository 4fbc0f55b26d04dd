// SPDX-License-Identifier: Apache-2.0
// The winner of a race between the best trials of a search, kept with the search.
#pragma once
#include <optional>
#include <string>

#include "storage/sqlite.hpp"
#include "trial/trial.hpp"

namespace dlrun::storage {

/// Estimate of the winner's true value.
struct WinnerValue {
  std::string metric;
  double value = 0;
  double low = 0;  ///< 95 % interval
  double high = 0;
  std::string rests_on;
};

struct RacedWinner {
  trial::TrialId trial;
  std::string race;  ///< study that ran it
  std::int64_t contenders = 0;
  std::int64_t runs = 0;  ///< runs of the winner
  double measured = 0;    ///< mean objective of those runs
  std::optional<WinnerValue> value;
  std::int64_t completed = 0;  ///< trials of the search when the race ended; write_winner() counts them
};

/// Does nothing where the same race has noted it already.
void write_winner(Database& study, const RacedWinner& winner);

/// The winner that counts; nullopt: no race has ended since the last trial completed. Reads files of every schema.
std::optional<RacedWinner> raced_winner(Database& study);

/// The winner of the last race, whether it counts or not.
std::optional<RacedWinner> last_winner(Database& study);

/// Races that have ended.
std::int64_t races_of(Database& study);

}  // namespace dlrun::storage
