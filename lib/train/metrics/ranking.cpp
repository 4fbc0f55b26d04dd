// SPDX-License-Identifier: Apache-2.0
#include "train/metrics/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "train/metrics/hits.hpp"

namespace dlrun::train {

namespace {

struct Scored {
  double score;
  bool is_own;
};

/// A NaN sorts first, so that the order is one; a split with one diverges anyway.
bool is_less(const Scored& a, const Scored& b) {
  if (std::isnan(a.score) || std::isnan(b.score)) return std::isnan(a.score) && !std::isnan(b.score);
  return a.score < b.score;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// log of the sum of exp over all outputs but one.
double log_sum_without(const float* row, std::int64_t width, std::int64_t without) {
  double greatest = -kInfinity, sum = 0;
  for (std::int64_t c = 0; c < width; ++c) greatest = c == without ? greatest : std::max(greatest, double(row[c]));
  if (std::isinf(greatest)) return greatest;
  for (std::int64_t c = 0; c < width; ++c) sum += c == without ? 0 : std::exp(double(row[c]) - greatest);
  return greatest + std::log(sum);
}

/// log p_c - log(1 - p_c) of every class. The greatest output's share of the sum may be all of it to the last bit, so
/// the others are summed apart; a lesser one has at most half.
std::vector<double> log_odds(const float* row, std::int64_t width) {
  std::vector<double> odds;
  if (has_nan(row, width)) return std::vector<double>(std::size_t(width), std::numeric_limits<double>::quiet_NaN());
  const std::int64_t best = std::max_element(row, row + width) - row;
  const double greatest = double(row[best]);
  double sum = 0;
  for (std::int64_t c = 0; c < width; ++c) sum += std::exp(double(row[c]) - greatest);
  for (std::int64_t c = 0; c < width; ++c) {
    const double from = double(row[c]) - greatest;
    odds.push_back(c == best ? greatest - log_sum_without(row, width, best) : from - std::log(sum - std::exp(from)));
  }
  return odds;
}

}  // namespace

void Ranking::add_example(const float* row, std::int64_t width, std::int64_t label) {
  if (width > 2) {
    const std::vector<double> odds = log_odds(row, width);
    scores_.insert(scores_.end(), odds.begin(), odds.end());
  } else {
    scores_.push_back(width == 1 ? double(row[0]) : double(row[1]) - double(row[0]));
  }
  columns_ = width > 2 ? std::size_t(width) : 1;
  labels_.push_back(std::int32_t(label));
}

void Ranking::add(const Ranking& other) {
  if (!other.labels_.empty()) columns_ = other.columns_;
  scores_.insert(scores_.end(), other.scores_.begin(), other.scores_.end());
  labels_.insert(labels_.end(), other.labels_.begin(), other.labels_.end());
}

/// Mann, Whitney 1947: the sum of the own ones' ranks, equal scores sharing the mean of theirs.
double Ranking::area(std::size_t column, std::int64_t label) const {
  std::vector<Scored> all(labels_.size());
  double own = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = {score(i, column), labels_[i] == label};
    own += all[i].is_own;
  }
  const double others = double(all.size()) - own;
  if (own == 0 || others == 0) return std::numeric_limits<double>::quiet_NaN();
  std::sort(all.begin(), all.end(), is_less);
  double ranks = 0;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    double among = 0;
    for (; end < all.size() && !is_less(all[begin], all[end]); ++end) among += all[end].is_own;
    ranks += among * (double(begin + 1) + double(end)) / 2;
  }
  return (ranks - own * (own + 1) / 2) / (own * others);
}

std::optional<double> Ranking::value(const std::string& name) const {
  if (name != "auc") return std::nullopt;
  double sum = 0, defined = 0;
  for (std::size_t c = 0; c < columns_; ++c) {
    const double one = area(c, label_of(c));
    if (std::isnan(one)) continue;
    sum += one;
    ++defined;
  }
  return sum / defined;
}

void Ranking::restore(const Json& json) {
  json.at(0).get_to(columns_);
  json.at(1).get_to(scores_);
  json.at(2).get_to(labels_);
}

}  // namespace dlrun::train
