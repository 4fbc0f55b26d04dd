// SPDX-License-Identifier: Apache-2.0
// Pieces that ran out of memory although others may have taken it. Pure: no clock, no process.
#pragma once
#include <map>
#include <string>
#include <utility>

#include "trial/trial.hpp"

namespace dlrun::driver {

/// Facts of an attempt that ran out of memory.
struct Shortage {
  bool had_company = false;  ///< another piece ran on its host at some time meanwhile
  std::int64_t used = 0;     ///< bytes at its peak; 0: unknown
  std::int64_t limit = 0;    ///< bytes that it may take (resources.memory_mb); 0: no limit
};

/// A piece that runs out of memory beside others, or below its own limit, has the host to itself the next time. That
/// time is the trial's own fault.
class Crowded {
 public:
  /// May others have caused it? Then the piece is to run alone from now on, on this host while it has a worker.
  bool excuses(const trial::PieceKey& piece, const std::string& host, const Shortage& shortage) {
    const bool is_below = shortage.used < shortage.limit;  // unknown: nobody saw that it had as much
    if (hosts_.contains(piece) || (!shortage.had_company && !is_below)) return false;
    remember(piece, host);
    return true;
  }
  void remember(const trial::PieceKey& piece, std::string host) { hosts_.emplace(piece, std::move(host)); }
  /// The piece succeeded.
  void forget(const trial::PieceKey& piece) { hosts_.erase(piece); }
  /// Host that the piece must have for itself; empty: it may run anywhere, beside others.
  std::string host_of(const trial::PieceKey& piece) const {
    const auto found = hosts_.find(piece);
    return found == hosts_.end() ? std::string() : found->second;
  }

 private:
  std::map<trial::PieceKey, std::string> hosts_;
};

}  // namespace dlrun::driver
