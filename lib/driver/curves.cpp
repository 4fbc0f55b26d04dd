// SPDX-License-Identifier: Apache-2.0
#include "driver/curves.hpp"

namespace dlrun::driver {

void Curve::add_value(std::int64_t epoch, double value) {
  if (epoch <= epoch_) return;
  epoch_ = epoch;
  last_ = value;
  if (seen_++ % stride_ != 0) return;
  if (kept_.size() == kMost) {
    for (std::size_t i = 0; i < kMost / 2; ++i) kept_[i] = kept_[2 * i];
    kept_.resize(kMost / 2);
    stride_ *= 2;
  }
  kept_.push_back(value);
}

std::vector<double> Curve::values() const {
  std::vector<double> all = kept_;
  if (seen_ > 0 && (seen_ - 1) % stride_ != 0) all.push_back(last_);
  return all;
}

void Curves::add_report(const trial::Member& member, const trial::Report& report) {
  for (const trial::Metric& metric : report.metrics) {
    if (metric.name == metric_) return curves_[member].add_value(report.step, metric.value);
  }
}

void Curves::forget(trial::TrialId trial) {
  const auto first = curves_.lower_bound({trial});
  auto past = first;
  while (past != curves_.end() && past->first.trial == trial) ++past;
  curves_.erase(first, past);
}

const Curve* Curves::find(const trial::Member& member) const {
  const auto found = curves_.find(member);
  return found == curves_.end() ? nullptr : &found->second;
}

}  // namespace dlrun::driver
