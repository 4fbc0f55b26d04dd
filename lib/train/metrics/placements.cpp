// SPDX-License-Identifier: Apache-2.0
#include "train/metrics/placements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dlrun::train {

namespace {

double pairs_of(const std::vector<double>& own, const std::vector<double>& others) {
  return double(own.size()) * double(others.size());
}

/// Scores that are less, equal ones counted half.
double below(const std::vector<double>& sorted, double score) {
  const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), score);
  return (double(first - sorted.begin()) + double(last - sorted.begin())) / 2;
}

/// Mean of what is defined.
double mean_of(const std::vector<double>& areas) {
  double sum = 0, defined = 0;
  for (const double area : areas) {
    if (std::isnan(area)) continue;
    sum += area;
    ++defined;
  }
  return sum / defined;
}

}  // namespace

Placements::Placements(const Ranking& all) {
  for (std::size_t c = 0; c < all.columns(); ++c) {
    Sides sides{all.label_of(c), {}, {}};
    for (std::size_t i = 0; i < all.size(); ++i)
      (all.label(i) == sides.label ? sides.own : sides.others).push_back(all.score(i, c));
    std::sort(sides.own.begin(), sides.own.end());
    std::sort(sides.others.begin(), sides.others.end());
    for (const double score : sides.own) sides.won += below(sides.others, score);
    classes_.push_back(std::move(sides));
  }
}

double Placements::without(const Sides& sides, double score, bool is_own) {
  const double won = is_own ? below(sides.others, score) : double(sides.own.size()) - below(sides.own, score);
  const double pairs = pairs_of(sides.own, sides.others) - double((is_own ? sides.others : sides.own).size());
  return pairs > 0 ? (sides.won - won) / pairs : std::numeric_limits<double>::quiet_NaN();
}

double Placements::without(const Ranking& example) const {
  std::vector<double> areas;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const Sides& sides = classes_[c];
    areas.push_back(example.size() == 0 ? sides.won / pairs_of(sides.own, sides.others)
                                        : without(sides, example.score(0, c), example.label(0) == sides.label));
  }
  return mean_of(areas);
}

}  // namespace dlrun::train
