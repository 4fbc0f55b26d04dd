// SPDX-License-Identifier: Apache-2.0
#include "pruners/wilcoxon_pruner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "statistics/signed_rank.hpp"
#include "util/error.hpp"

namespace dlrun::pruners {

namespace {

void require_sense(const Wilcoxon& o) {
  if (!(o.alpha > 0 && o.alpha <= 0.5)) {
    throw Error(ErrorKind::usage, fmt::format("wilcoxon needs 0 < alpha <= 0.5, but alpha is {}", o.alpha));
  }
  if (o.min_members >= 2) return;
  throw Error(ErrorKind::usage, fmt::format("wilcoxon needs min_members >= 2, but it is {}", o.min_members));
}

const Wilcoxon& checked_wilcoxon(const Wilcoxon& own) {
  require_sense(own);
  return own;
}

double mean(const std::vector<double>& values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  return sum / double(count);
}

}  // namespace

WilcoxonPruner::WilcoxonPruner(const Wilcoxon& own, const StudyFacts& study)
    : members_(study.members),
      min_members_(checked_wilcoxon(own).min_members),
      maximize_(study.maximize),
      test_(own.alpha, own.min_members, std::max(study.members - 1, own.min_members)) {}

void WilcoxonPruner::on_member(trial::TrialId trial, int member, double value) {
  Judged& judged = open_[trial];
  judged.values[member] = value;
  const int seen = int(judged.values.size());
  if (seen >= min_members_ && seen < members_ && !gone_.contains(trial)) judge(trial, judged);
}

void WilcoxonPruner::judge(trial::TrialId trial, Judged& judged) {
  if (!judged.reference.exists()) {
    if (!best_.exists() || int(judged.values.size()) > min_members_) return;  // the first look was without a reference
    judged.reference = best_;
    judged.held = best_values_;
  }
  std::vector<double> own, differences;
  for (const auto& [member, value] : judged.values) {
    own.push_back(value);
    differences.push_back(value - judged.held[std::size_t(member)]);
  }
  const std::size_t count = own.size();
  const double here = mean(own, count), there = mean(judged.held, count);
  if (!(here > there) || !test_.rejects(differences)) return;
  const double sign = maximize_ ? -1 : 1;
  stopping_[trial] = fmt::format(
      "after {} of {} members worse than trial {}: mean {:.6g}, not {:.6g}; signed-rank p {:.3g}, {:.3g} spent", count,
      members_, judged.reference.value, sign * here, sign * there, statistics::signed_rank_p(differences),
      test_.spent(int(count)));
}

void WilcoxonPruner::on_value(trial::TrialId trial, int, std::optional<double> value) {
  const auto found = open_.find(trial);
  if (found == open_.end()) return;
  if (!value || !std::isfinite(*value)) return;  // the trial may be tried again
  const bool is_whole = int(found->second.values.size()) == members_;
  if (is_whole && (!best_.exists() || *value < best_mean_ || (*value == best_mean_ && trial < best_))) {
    best_ = trial;
    best_mean_ = *value;
    best_values_.clear();
    for (const auto& [member, each] : found->second.values) best_values_.push_back(each);
  }
  open_.erase(found);
}

void WilcoxonPruner::on_gone(trial::TrialId trial) {
  gone_.insert(trial);
  open_.erase(trial);
  stopping_.erase(trial);
}

std::optional<Stop> WilcoxonPruner::next_stop() const {
  if (stopping_.empty()) return std::nullopt;
  return Stop{stopping_.begin()->first, 0, stopping_.begin()->second};
}

void WilcoxonPruner::claim(trial::TrialId trial, int) {
  throw Error(ErrorKind::store, fmt::format("trial {} never pauses at a rung", trial.value));
}

}  // namespace dlrun::pruners
