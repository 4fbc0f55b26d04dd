// SPDX-License-Identifier: Apache-2.0
#include "pruners/pasha_pruner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "util/error.hpp"

namespace dlrun::pruners {

namespace {

/// How often the order of two curves turns, over the epochs both have.
int turns(const std::vector<Point>& a, const std::vector<Point>& b) {
  int turns = 0;
  int before = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].epoch != b[j].epoch) {
      ++(a[i].epoch < b[j].epoch ? i : j);
      continue;
    }
    const double left = a[i++].value, right = b[j++].value;
    const int now = left < right ? -1 : left > right ? 1 : 0;  // 0 where either is no number
    if (now != 0 && before != 0 && now != before) ++turns;
    if (now != 0) before = now;
  }
  return turns;
}

}  // namespace

PashaPruner::PashaPruner(const Pasha& pasha)
    : asha_(pasha.ladder, Pasha::kName), last_(static_cast<int>(asha_.rungs().size()) - 1) {
  top_ = std::min(1, last_);
}

void PashaPruner::on_curve(trial::TrialId trial, const std::vector<Point>& curve) {
  std::vector<Point>& points = curves_[trial].points;
  points.insert(points.end(), curve.begin(), curve.end());
}

void PashaPruner::on_value(trial::TrialId trial, int rung, std::optional<double> value) {
  asha_.on_value(trial, rung, value);
  if (!value || !std::isfinite(*value)) return;
  curves_[trial].at[rung] = *value;
  if (rung != top_ || top_ == last_) return;
  note_crossings(trial);
  arrived_.push_back(trial);
  if (!rankings_agree()) open_next_rung();
}

void PashaPruner::note_crossings(trial::TrialId trial) {
  const Curve& own = curves_.at(trial);
  for (const trial::TrialId other : arrived_) {
    const Curve& theirs = curves_.at(other);
    if (turns(own.points, theirs.points) < 2) continue;
    distances_.insert({std::abs(own.at.at(top_) - theirs.at.at(top_)), trial::TrialId(pairs_++)});
  }
}

double PashaPruner::epsilon() const { return distances_.size() == 0 ? 0 : distances_.quantile(0.9); }

bool PashaPruner::rankings_agree() const {
  std::vector<std::pair<double, trial::TrialId>> above;
  std::vector<double> below;
  for (const trial::TrialId trial : arrived_) {
    const std::map<int, double>& at = curves_.at(trial).at;
    if (!at.contains(top_ - 1)) continue;
    above.emplace_back(at.at(top_), trial);
    below.push_back(at.at(top_ - 1));
  }
  std::sort(above.begin(), above.end());
  std::sort(below.begin(), below.end());
  const double noise = epsilon();
  for (std::size_t i = 0; i < above.size(); ++i) {
    const double lower = curves_.at(above[i].second).at.at(top_ - 1);
    if (std::abs(lower - below[i]) > noise) return false;
  }
  return true;
}

void PashaPruner::open_next_rung() {
  ++top_;
  arrived_.clear();
  distances_ = {};
}

void PashaPruner::claim(trial::TrialId trial, int rung) {
  if (rung < top_) return asha_.claim(trial, rung);
  throw Error(ErrorKind::store,
              fmt::format("trial {} cannot go on from rung {}, the highest open one is {}", trial.value, rung, top_));
}

bool PashaPruner::is_whole(trial::TrialId trial) const {
  const auto found = curves_.find(trial);
  return found != curves_.end() && found->second.at.contains(top_);
}

}  // namespace dlrun::pruners
