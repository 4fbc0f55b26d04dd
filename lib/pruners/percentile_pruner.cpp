// SPDX-License-Identifier: Apache-2.0
#include "pruners/percentile_pruner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pruners/ladder.hpp"
#include "util/error.hpp"

namespace dlrun::pruners {

PercentilePruner::PercentilePruner(const Median& median, bool maximize)
    : StoppingPruner(even_rungs(median.ladder, Median::kName), maximize),
      needed_(median.others),
      name_("the median"),
      complete_(rungs().size()) {}

PercentilePruner::PercentilePruner(const MedianOfAverages& median, bool maximize)
    : StoppingPruner(even_rungs(median.ladder, MedianOfAverages::kName), maximize),
      needed_(median.others),
      name_("the median of averages"),
      is_of_averages_(true),
      complete_(rungs().size()) {}

PercentilePruner::PercentilePruner(const Percentile& percentile, bool maximize)
    : StoppingPruner(even_rungs(percentile.ladder, Percentile::kName), maximize),
      needed_(percentile.others),
      percentile_(percentile.percentile),
      name_(fmt::format("percentile {:g}", percentile_)),
      complete_(rungs().size()) {
  if (percentile_ > 0 && percentile_ < 100) return;
  throw Error(ErrorKind::usage,
              fmt::format("percentile needs a percentile above 0 and below 100, but it is {}", percentile_));
}

void PercentilePruner::on_curve(trial::TrialId trial, const std::vector<Point>& curve) {
  Open& open = open_[trial];
  for (const Point& point : curve) {
    if (std::isfinite(point.value)) see(open, point.value);
  }
}

void PercentilePruner::see(Open& open, double value) {
  open.best = std::min(open.best, value);
  open.newest = value;
  open.has_newest = true;
  open.sum += value;
  ++open.count;
}

/// Adds the newest value of the curve, or the average of all, to the rung values; without a curve, the value itself.
void PercentilePruner::add_rung_value(Open& open, double value) const {
  if (!open.has_newest) see(open, value);
  open.values.push_back(is_of_averages_ ? open.sum / double(open.count) : open.newest);
  open.best = std::min(open.best, value);
  open.has_newest = false;
}

StoppingPruner::Verdict PercentilePruner::judge(trial::TrialId trial, int rung, double value) {
  Open& open = open_[trial];
  add_rung_value(open, value);
  if (completed_ < needed_.startup_trials) {
    return {true, fmt::format("{} of the first {} trials are complete", completed_, needed_.startup_trials)};
  }
  const Ranking& others = complete_[static_cast<std::size_t>(rung)];
  if (others.size() == 0 || others.size() < static_cast<std::size_t>(needed_.min_trials)) {
    return {true, fmt::format("{} completed trials to be held against", others.size())};
  }
  const double limit = others.quantile(percentile_ / 100);
  const bool is_worse = open.best > limit;
  return {!is_worse,
          fmt::format("its best, {:.6g}, is {} {:.6g}, {} of {} completed trials at epoch {}", shown(open.best),
                      is_worse ? "worse than" : "no worse than", shown(limit), name_, others.size(), epochs_at(rung))};
}

void PercentilePruner::note_whole(trial::TrialId trial, double value) {
  add_rung_value(open_[trial], value);
  on_complete(trial);
}

void PercentilePruner::on_complete(trial::TrialId trial) {
  if (const auto found = open_.find(trial); found != open_.end()) {
    const std::vector<double>& values = found->second.values;
    for (std::size_t rung = 0; rung < values.size(); ++rung) complete_[rung].insert({values[rung], trial});
    ++completed_;
  }
  on_gone(trial);
}

void PercentilePruner::on_gone(trial::TrialId trial) {
  open_.erase(trial);
  StoppingPruner::on_gone(trial);
}

}  // namespace dlrun::pruners
