// SPDX-License-Identifier: Apache-2.0
#include "pruners/threshold_pruner.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pruners/ladder.hpp"
#include "util/error.hpp"

namespace dlrun::pruners {

ThresholdPruner::ThresholdPruner(const Threshold& threshold, bool maximize)
    : StoppingPruner(even_rungs(threshold.ladder, Threshold::kName), maximize),
      lower_(threshold.lower),
      upper_(threshold.upper) {
  if (!lower_ && !upper_) throw Error(ErrorKind::usage, "threshold needs a lower or an upper bound");
  if (lower_ && upper_ && *lower_ > *upper_) {
    throw Error(ErrorKind::usage,
                fmt::format("threshold needs lower <= upper, but they are {} and {}", *lower_, *upper_));
  }
}

void ThresholdPruner::on_curve(trial::TrialId trial, const std::vector<Point>& curve) {
  if (!curve.empty()) newest_[trial] = curve.back().value;
}

StoppingPruner::Verdict ThresholdPruner::judge(trial::TrialId trial, int, double value) {
  const auto told = newest_.extract(trial);
  const double measured = shown(told.empty() ? value : told.mapped());
  if (std::isnan(measured)) return {false, "not a number"};
  if (lower_ && measured < *lower_) return {false, fmt::format("{:.6g} is below {:.6g}", measured, *lower_)};
  if (upper_ && measured > *upper_) return {false, fmt::format("{:.6g} is above {:.6g}", measured, *upper_)};
  return {true, fmt::format("{:.6g} is within the bounds", measured)};
}

void ThresholdPruner::on_gone(trial::TrialId trial) {
  newest_.erase(trial);
  StoppingPruner::on_gone(trial);
}

}  // namespace dlrun::pruners
