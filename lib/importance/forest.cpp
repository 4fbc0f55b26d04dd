// SPDX-License-Identifier: Apache-2.0
#include "importance/forest.hpp"

#include <numeric>

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

std::optional<double> explained_by(const OutOfBag& out, const std::vector<double>& y) {
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / double(y.size());
  double error = 0, variance = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (out.count[i] == 0) continue;
    const double miss = y[i] - out.sum[i] / out.count[i];
    error += miss * miss;
    variance += (y[i] - mean) * (y[i] - mean);
  }
  if (!(variance > 0)) return std::nullopt;
  return 1 - error / variance;
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
  explained_ = explained_by(out, y);
}

}  // namespace dlrun::importance
