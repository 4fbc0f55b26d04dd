// SPDX-License-Identifier: Apache-2.0
// Faults of machines, for which no trial is to blame: should people be told, and can no work go on any more? Pure: no
// clock.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "trial/trial.hpp"

namespace dlrun::driver {

class Outage {
 public:
  static constexpr int kTries = 3;  ///< losses of one piece, with no success of any piece in between

  /// An attempt was lost by Cause::machine. True: people should be told, for it is the first since a piece succeeded.
  bool lost(const trial::PieceKey& piece, const std::string& message) {
    ++losses_[piece];
    message_ = message;
    return losses_.size() == 1 && losses_.begin()->second == 1;
  }
  /// A worker says itself why a piece fails, which says more than that another worker ended.
  void explain(const std::string& reason) { reason_ = reason; }
  void succeeded() {
    losses_.clear();
    reason_.clear();
  }
  /// Has a piece been tried so often, and is there nothing under way that may yet succeed?
  /// @param running  pieces at work
  bool is_general(const std::vector<trial::PieceKey>& running) const;
  bool has_begun() const { return !losses_.empty(); }
  /// The last reason that a worker gave; if none did, the message of the last loss.
  const std::string& message() const { return reason_.empty() ? message_ : reason_; }

 private:
  std::map<trial::PieceKey, int> losses_;  ///< since something succeeded
  std::string message_, reason_;
};

}  // namespace dlrun::driver
