// SPDX-License-Identifier: Apache-2.0
#include "importance/fanova.hpp"

#include <algorithm>

#include "importance/boxes.hpp"
#include "importance/estimate.hpp"

namespace dlrun::importance {

namespace {

/// Variances of one tree.
struct Variances {
  double whole = 0;
  std::vector<double> columns;
  std::vector<double> pairs;  ///< beyond those of both columns, in the order (0, 1), (0, 2), …
};

class Anova {
 public:
  explicit Anova(const Boxes& boxes) : boxes_(boxes) {
    for (const Leaf& leaf : boxes_.leaves) mean_ += leaf.value * leaf.measure;
  }

  Variances variances() {
    Variances out;
    for (const Leaf& leaf : boxes_.leaves) {
      out.whole += leaf.measure * (leaf.value - mean_) * (leaf.value - mean_);
    }
    const std::size_t count = boxes_.cells.size();
    for (std::size_t a = 0; a < count; ++a) out.columns.push_back(of_column(a));
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = a + 1; b < count; ++b) {
        out.pairs.push_back(std::max(0.0, of_pair(a, b) - out.columns[a] - out.columns[b]));
      }
    }
    return out;
  }

 private:
  /// The variance of the mean over all other columns. Steps are summed up from their differences.
  double of_column(std::size_t a) {
    const auto& cells = boxes_.cells[a];
    steps_.assign(cells.size() + 1, 0);
    for (const Leaf& leaf : boxes_.leaves) {
      const double part = (leaf.value - mean_) * leaf.measure / leaf.extents[a].measure;
      for (const Run& run : leaf.extents[a].runs) {
        steps_[run.begin] += part;
        steps_[run.end] -= part;
      }
    }
    double height = 0, variance = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      height += steps_[i];
      variance += cells[i] * height * height;
    }
    return variance;
  }

  double of_pair(std::size_t a, std::size_t b) {
    const auto &rows = boxes_.cells[a], &columns = boxes_.cells[b];
    const std::size_t width = columns.size() + 1;
    steps_.assign((rows.size() + 1) * width, 0);
    for (const Leaf& leaf : boxes_.leaves) {
      const double part = (leaf.value - mean_) * leaf.measure / (leaf.extents[a].measure * leaf.extents[b].measure);
      for (const Run& r : leaf.extents[a].runs) {
        for (const Run& c : leaf.extents[b].runs) {
          steps_[r.begin * width + c.begin] += part;
          steps_[r.begin * width + c.end] -= part;
          steps_[r.end * width + c.begin] -= part;
          steps_[r.end * width + c.end] += part;
        }
      }
    }
    heights_.assign(width, 0);
    double variance = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double height = 0, row = 0;
      for (std::size_t k = 0; k + 1 < width; ++k) {
        heights_[k] += steps_[i * width + k];
        height += heights_[k];
        row += columns[k] * height * height;
      }
      variance += rows[i] * row;
    }
    return variance;
  }

  const Boxes& boxes_;
  double mean_ = 0;
  std::vector<double> steps_, heights_;
};

/// Shares by tree, of columns and pairs.
struct Shares {
  std::vector<std::vector<double>> columns, pairs;
};

Shares shares_of(const Forest& forest, const std::vector<Column>& columns) {
  Shares shares;
  for (const Tree& tree : forest.trees()) {
    const Boxes boxes = boxes_of(tree, columns);
    const Variances v = Anova(boxes).variances();
    shares.columns.resize(v.columns.size());
    shares.pairs.resize(v.pairs.size());
    if (!(v.whole > 0)) continue;
    for (std::size_t i = 0; i < v.columns.size(); ++i) shares.columns[i].push_back(v.columns[i] / v.whole);
    for (std::size_t i = 0; i < v.pairs.size(); ++i) shares.pairs[i].push_back(v.pairs[i] / v.whole);
  }
  return shares;
}

}  // namespace

Importances fanova(const Evidence& evidence, const ForestOptions& options) {
  Importances out;
  out.parameters.resize(evidence.space.size());
  const std::vector<Column> columns = columns_of(evidence);
  if (columns.empty() || evidence.values.size() < 2) return out;
  const std::vector<double> y = fenced(evidence.objectives);
  const Forest forest(columns, y, options);
  out.explained = forest.explained();
  out.gain = gain_by_parameters(forest, columns, y, options);
  const Shares shares = shares_of(forest, columns);
  const std::size_t count = shares.columns.size();
  for (std::size_t a = 0; a < count; ++a) out.parameters[columns[a].parameter] = estimate(shares.columns[a]);
  std::size_t next = 0;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      out.pairs.push_back({columns[a].parameter, columns[b].parameter, estimate(shares.pairs[next++])});
    }
  }
  return out;
}

std::vector<double> fenced(const std::vector<double>& objectives, std::size_t* moved) {
  std::vector<double> sorted = objectives;
  std::sort(sorted.begin(), sorted.end());
  const double first = quantile(sorted, 0.25), third = quantile(sorted, 0.75);
  const double fence = third + 3 * (third - first);
  std::vector<double> out = objectives;
  if (third > first) {
    for (double& y : out) y = std::min(y, fence);
  }
  if (moved != nullptr) {
    *moved = 0;
    for (std::size_t i = 0; i < out.size(); ++i) *moved += out[i] < objectives[i] ? 1 : 0;
  }
  return out;
}

}  // namespace dlrun::importance
