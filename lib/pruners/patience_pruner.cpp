// SPDX-License-Identifier: Apache-2.0
#include "pruners/patience_pruner.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pruners/ladder.hpp"
#include "util/error.hpp"

namespace dlrun::pruners {

PatiencePruner::PatiencePruner(const Patience& patience, bool maximize)
    : StoppingPruner(even_rungs(patience.ladder, Patience::kName), maximize),
      patience_(patience.patience),
      min_delta_(patience.min_delta) {
  if (patience_ >= 0 && min_delta_ >= 0) return;
  throw Error(ErrorKind::usage, fmt::format("patience needs patience >= 0 and min_delta >= 0, but they are {} and {}",
                                            patience_, min_delta_));
}

void PatiencePruner::improve(Best& best, const Point& point) const {
  if (!std::isfinite(point.value) || (best.value && point.value >= *best.value - min_delta_)) return;
  best = {point.value, point.epoch};
}

void PatiencePruner::on_curve(trial::TrialId trial, const std::vector<Point>& curve) {
  Best& best = open_[trial];
  for (const Point& point : curve) improve(best, point);
}

StoppingPruner::Verdict PatiencePruner::judge(trial::TrialId trial, int rung, double value) {
  Best& best = open_[trial];
  const std::int64_t now = epochs_at(rung);
  improve(best, {now, value});
  const std::int64_t since = now - best.epoch;
  return {since <= patience_, fmt::format("{} epochs since its best, {:.6g} at epoch {}; patience is {}", since,
                                          shown(*best.value), best.epoch, patience_)};
}

void PatiencePruner::note_whole(trial::TrialId trial, double) { open_.erase(trial); }

void PatiencePruner::on_gone(trial::TrialId trial) {
  open_.erase(trial);
  StoppingPruner::on_gone(trial);
}

}  // namespace dlrun::pruners
