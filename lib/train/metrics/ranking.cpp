// SPDX-License-Identifier: Apache-2.0
#include "train/metrics/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dlrun::train {

namespace {

struct Scored {
  float score;
  bool is_own;
};

/// A NaN sorts first, so that the order is one; a split with one diverges anyway.
bool is_less(const Scored& a, const Scored& b) {
  if (std::isnan(a.score) || std::isnan(b.score)) return std::isnan(a.score) && !std::isnan(b.score);
  return a.score < b.score;
}

}  // namespace

void Ranking::add_example(const std::vector<double>& p, std::int64_t label) {
  columns_ = p.size() == 2 ? 1 : p.size();
  for (std::size_t c = p.size() - columns_; c < p.size(); ++c) scores_.push_back(float(p[c]));
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
