// SPDX-License-Identifier: Apache-2.0
// A study under way as its store shows it to others: what its driver's own display shows, at most 0.2 s old.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trial/trial.hpp"
#include "util/json.hpp"

namespace dlrun::report {

/// A piece that a worker runs.
struct LivePiece {
  trial::PieceKey key;
  int attempt = 0;
  std::int64_t epochs = 0;    ///< done so far, those before the piece included
  std::vector<double> curve;  ///< objective by epoch; NaN where it was not finite
  Json params;                ///< {parameter: value}
  std::vector<std::filesystem::path> logs;
};

struct Live {
  std::string state, reason;  ///< as `dlrun status` has them
  std::string metric;
  bool is_driven = false;  ///< a driver holds the study
  std::int64_t completed = 0, pruned = 0, failed = 0, cancelled = 0, paused = 0;
  std::optional<double> best;
  std::int64_t best_trial = -1;
  std::int64_t epochs = 0;         ///< epochs of all members of all trials
  std::int64_t epochs_before = 0;  ///< epochs that earlier drivers did
  std::int64_t workers = 0, busy = 0;
  double seconds = 0;             ///< since the newest driver began, until now or until it ended
  std::vector<LivePiece> pieces;  ///< running pieces of the newest trials
};

/// Reads one study again and again, each time at one moment.
class LiveReader {
 public:
  /// @param most  pieces that are described
  LiveReader(std::filesystem::path store, std::string study, std::size_t most)
      : store_(std::move(store)), study_(std::move(study)), most_(most) {}

  /// @throws as Reader
  Live read();

 private:
  std::filesystem::path store_;
  std::string study_;
  std::size_t most_;
  std::map<std::int64_t, std::int64_t> before_;  ///< by driver: epochs of those before it, which change no more
};

}  // namespace dlrun::report
