// SPDX-License-Identifier: Apache-2.0
#include "train/metrics/hits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dlrun::train {

namespace {

constexpr std::int64_t kNoRank = std::numeric_limits<std::int64_t>::max();

/// How many outputs stand before the label's: the greater, and equal ones of a lower class. Where one is no number
/// nothing is foretold, and no depth is deep enough.
std::int64_t rank(const float* row, std::int64_t width, std::int64_t label) {
  if (has_nan(row, width)) return kNoRank;
  if (width == 1) return predicted(row, 1) == label ? 0 : 1;
  std::int64_t before = 0;
  for (std::int64_t c = 0; c < width; ++c) before += row[c] > row[label] || (row[c] == row[label] && c < label);
  return before;
}

}  // namespace

std::int64_t predicted(const float* row, std::int64_t width) {
  if (width == 1) return row[0] > 0 ? 1 : 0;
  std::int64_t best = 0;
  for (std::int64_t c = 1; c < width; ++c) best = row[c] > row[best] ? c : best;
  return best;
}

bool has_nan(const float* row, std::int64_t width) {
  return std::any_of(row, row + width, [](float output) { return std::isnan(output); });
}

void Hits::add_example(const float* row, std::int64_t width, std::int64_t label) {
  const std::int64_t before = rank(row, width, label);
  ++count_;
  for (std::size_t i = 0; i < kDepths.size(); ++i) hits_[i] += before < kDepths[i];
}

void Hits::add(const Hits& other, double times) {
  count_ += times * other.count_;
  for (std::size_t i = 0; i < kDepths.size(); ++i) hits_[i] += times * other.hits_[i];
}

std::optional<double> Hits::value(const std::string& name) const {
  for (std::size_t i = 0; i < kDepths.size(); ++i) {
    const bool is_it = i == 0 ? name == "accuracy" : name == "top_" + std::to_string(kDepths[i]);
    if (is_it) return count_ > 0 ? hits_[i] / count_ : 0;
  }
  return std::nullopt;
}

void Hits::restore(const Json& json) {
  json.at(0).get_to(count_);
  json.at(1).get_to(hits_);
}

}  // namespace dlrun::train
