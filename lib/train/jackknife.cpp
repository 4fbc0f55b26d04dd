// SPDX-License-Identifier: Apache-2.0
#include "train/jackknife.hpp"

#include <numeric>

namespace dlrun::train {

Jackknife::Jackknife(const std::string& metric, const SplitSums& all) : metric_(metric), whole_(all.measuring(metric)) {
  if (whole_.name == "auc") ranking_.emplace(whole_.sums->ranking());
}

void Jackknife::add(const SplitSums& example) {
  const Sums& own = *example.measuring(metric_).sums;
  without_.push_back(ranking_ ? ranking_->without(own.ranking()) : whole_.sums->value_without(own, whole_.name));
}

std::vector<float> Jackknife::values() const {
  const double count = double(without_.size()), whole = whole_.sums->value(whole_.name);
  const double mean = std::accumulate(without_.begin(), without_.end(), 0.0) / count;
  std::vector<float> numbers;
  numbers.reserve(without_.size());
  for (const double one : without_) numbers.push_back(float(whole + (count - 1) * (mean - one)));
  return numbers;
}

}  // namespace dlrun::train
