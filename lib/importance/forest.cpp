// SPDX-License-Identifier: Apache-2.0
#include "importance/forest.hpp"

#include <cmath>
#include <numeric>

#include "statistics/student.hpp"
#include "statistics/summary.hpp"
#include "util/random.hpp"

namespace dlrun::importance {

namespace {

double predict(const Tree& tree, const std::vector<Column>& columns, std::size_t trial) {
  const Node* node = &tree.nodes[0];
  while (node->column >= 0) {
    const double x = columns[std::size_t(node->column)].x[trial];
    const bool goes_left = node->left_classes.empty() ? x < node->threshold : node->left_classes[std::size_t(x)];
    node = &tree.nodes[std::size_t(goes_left ? node->left : node->right)];
  }
  return node->value;
}

/// Predictions for each trial by the trees that did not see it.
struct OutOfBag {
  std::vector<double> sum, count;
};

/// Squared errors of the mean, and how much less those of the trees are, of trials that a tree did not see.
struct Judged {
  double by_mean = 0;
  std::vector<double> gains;
};

Judged judged(const OutOfBag& out, const std::vector<double>& y) {
  const double mean = statistics::mean(y);
  Judged found;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (out.count[i] == 0) continue;
    const double miss = y[i] - out.sum[i] / out.count[i], without = y[i] - mean;
    found.gains.push_back(without * without - miss * miss);
    found.by_mean += without * without;
  }
  return found;
}

std::optional<double> explained_by(const Judged& found) {
  if (!(found.by_mean > 0)) return std::nullopt;
  return std::accumulate(found.gains.begin(), found.gains.end(), 0.0) / found.by_mean;
}

std::optional<Gain> gain_of(const Judged& found) {
  if (found.gains.size() < 2 || !(found.by_mean > 0)) return std::nullopt;
  const auto n = double(found.gains.size());
  const double error = statistics::standard_deviation(found.gains) * std::sqrt(n) / found.by_mean;
  const double value = *explained_by(found);
  return Gain{value, value - statistics::t_quantile(1 - kChance, n - 1) * error};
}

}  // namespace

Forest::Forest(const std::vector<Column>& columns, const std::vector<double>& y, const ForestOptions& options) {
  const std::size_t n = y.size();
  OutOfBag out{std::vector<double>(n), std::vector<double>(n)};
  for (int t = 0; t < options.trees; ++t) {
    RandomStream random(options.seed, {"importance", "tree", std::to_string(t)});
    std::vector<double> weights(n);
    for (std::size_t i = 0; i < n; ++i) ++weights[random.below(n)];
    trees_.push_back(grow(columns, y, weights, options));
    for (std::size_t i = 0; i < n; ++i) {
      if (weights[i] > 0) continue;
      out.sum[i] += predict(trees_.back(), columns, i);
      ++out.count[i];
    }
  }
  const Judged found = judged(out, y);
  explained_ = explained_by(found);
  gain_ = gain_of(found);
}

std::optional<Gain> gain_by_parameters(const Forest& forest, std::vector<Column> columns, const std::vector<double>& y,
                                       const ForestOptions& options) {
  if (columns.back().parameter != Column::kBudget) return forest.gain();
  columns.pop_back();
  return columns.empty() ? std::nullopt : Forest(columns, y, options).gain();
}

}  // namespace dlrun::importance
