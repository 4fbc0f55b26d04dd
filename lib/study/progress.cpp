// SPDX-License-Identifier: Apache-2.0
#include "study/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlrun::study {

void Progress::see(trial::TrialId id, int piece, const std::optional<pareto::Score>& score) {
  if (piece == 0) ++trials_since_best_;
  if (score && joins_front(*score)) {
    best_seen_ = id;
    trials_since_best_ = 0;
  }
  if (is_stall()) has_stalled_ = true;
}

/// Does no visible result dominate, or equal, this one? Then it counts from now on.
bool Progress::joins_front(const pareto::Score& score) {
  const bool is_new = std::none_of(front_seen_.begin(), front_seen_.end(), [&](const pareto::Score& seen) {
    return seen == score || pareto::dominates(seen, score);
  });
  if (!is_new) return false;
  std::erase_if(front_seen_, [&](const pareto::Score& seen) { return pareto::dominates(score, seen); });
  front_seen_.push_back(score);
  return true;
}

void Progress::recount() {
  target_met_by_ = {};
  has_stalled_ = is_stall();
}

std::string Progress::reason() const {
  if (has_met_target())
    return fmt::format("trial {} met the target of {}", target_met_by_.value, *rules_.limits.target);
  const std::int64_t stall = *rules_.limits.stall;
  if (!best_seen_.exists()) return fmt::format("no objective in {} trials", stall);
  if (!rules_.further.empty()) return fmt::format("no trial joined the front in {} trials", stall);
  return fmt::format("no better objective than trial {}'s in {} trials", best_seen_.value, stall);
}

}  // namespace dlrun::study
