// SPDX-License-Identifier: Apache-2.0
#include "importance/shapley.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "importance/boxes.hpp"
#include "importance/estimate.hpp"
#include "importance/fanova.hpp"
#include "util/random.hpp"

namespace dlrun::importance {

namespace {

/// Integrates polynomials of degree 2 count - 1 over [0, 1] exactly.
struct Quadrature {
  std::vector<double> nodes, weights;
};

/// The eigenvalues of Legendre's recurrence (Golub and Welsch 1969).
Quadrature gauss_legendre(std::size_t count) {
  const auto n = Eigen::Index(count);
  Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(n), beside(std::max<Eigen::Index>(n - 1, 0));
  for (Eigen::Index i = 1; i < n; ++i) beside(i - 1) = double(i) / std::sqrt(4.0 * double(i) * double(i) - 1);
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(diagonal, beside);
  Quadrature rule;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double first = solver.eigenvectors()(0, i);
    rule.nodes.push_back((1 + solver.eigenvalues()(i)) / 2);
    rule.weights.push_back(first * first);
  }
  return rule;
}

/// Cells of a point, by column.
using Cells = std::vector<std::uint32_t>;

bool covers(const Extent& extent, std::uint32_t cell) {
  return std::any_of(extent.runs.begin(), extent.runs.end(),
                     [&](const Run& run) { return run.begin <= cell && cell < run.end; });
}

/// The Shapley values of a tree's boxes at one point.
class Explainer {
 public:
  explicit Explainer(const Boxes& boxes) : boxes_(boxes), rule_(gauss_legendre(boxes.cells.size() / 2 + 1)) {
    for (const Leaf& leaf : boxes.leaves) {
      split_.emplace_back();
      for (std::uint32_t c = 0; c < leaf.extents.size(); ++c) {
        const auto& runs = leaf.extents[c].runs;
        const bool is_whole = runs.size() == 1 && runs[0].begin == 0 && runs[0].end == boxes.cells[c].size();
        if (!is_whole) split_.back().push_back(c);
      }
    }
  }

  std::vector<double> values(const Cells& point) {
    std::vector<double> sum(boxes_.cells.size());
    for (std::size_t l = 0; l < boxes_.leaves.size(); ++l) add_leaf(boxes_.leaves[l], split_[l], point, sum);
    return sum;
  }

 private:
  /// A column that is unknown counts with the leaf's measure of it, one that is known with 1 or 0.
  void add_leaf(const Leaf& leaf, const std::vector<std::uint32_t>& columns, const Cells& point,
                std::vector<double>& sum) {
    known_.clear();
    for (const std::uint32_t c : columns) {
      known_.push_back(covers(leaf.extents[c], point[c]) ? 1.0 : 0.0);
    }
    for (std::size_t q = 0; q < rule_.nodes.size(); ++q) {
      const double t = rule_.nodes[q];
      double product = leaf.value * rule_.weights[q];
      for (std::size_t k = 0; k < columns.size(); ++k) product *= factor(leaf, columns[k], known_[k], t);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const double measure = leaf.extents[columns[k]].measure;
        sum[columns[k]] += product / factor(leaf, columns[k], known_[k], t) * (known_[k] - measure);
      }
    }
  }

  static double factor(const Leaf& leaf, std::uint32_t column, double known, double t) {
    const double measure = leaf.extents[column].measure;
    return measure + t * (known - measure);
  }

  const Boxes& boxes_;
  Quadrature rule_;
  std::vector<std::vector<std::uint32_t>> split_;  ///< columns that a leaf does not cover wholly
  std::vector<double> known_;
};

/// The cell in which a unit coordinate lies.
std::uint32_t cell_at(const std::vector<double>& cells, double unit) {
  double end = 0;
  for (std::uint32_t i = 0; i + 1 < cells.size(); ++i) {
    end += cells[i];
    if (unit < end) return i;
  }
  return std::uint32_t(cells.size() - 1);
}

/// Shares of one tree; empty where it says the same everywhere.
std::vector<double> shares_of(const Boxes& boxes, const std::vector<std::vector<double>>& points) {
  Explainer explainer(boxes);
  std::vector<double> sizes(boxes.cells.size());
  Cells cells(boxes.cells.size());
  double all = 0;
  for (const auto& point : points) {
    for (std::size_t c = 0; c < cells.size(); ++c) cells[c] = cell_at(boxes.cells[c], point[c]);
    const std::vector<double> values = explainer.values(cells);
    for (std::size_t c = 0; c < cells.size(); ++c) sizes[c] += std::abs(values[c]), all += std::abs(values[c]);
  }
  if (!(all > 0)) return {};
  for (double& size : sizes) size /= all;
  return sizes;
}

std::vector<std::vector<double>> draw_points(std::size_t columns, const ShapleyOptions& options) {
  std::vector<std::vector<double>> points;
  RandomStream random(options.forest.seed, {"importance", "points"});
  for (int i = 0; i < options.points; ++i) {
    points.emplace_back();
    for (std::size_t c = 0; c < columns; ++c) points.back().push_back(random.uniform());
  }
  return points;
}

}  // namespace

Importances shapley(const Evidence& evidence, const ShapleyOptions& options) {
  Importances out;
  out.parameters.resize(evidence.space.size());
  const std::vector<Column> columns = columns_of(evidence);
  if (columns.empty() || evidence.values.size() < 2) return out;
  const std::vector<double> y = fenced(evidence.objectives);
  const Forest forest(columns, y, options.forest);
  out.explained = forest.explained();
  out.gain = gain_by_parameters(forest, columns, y, options.forest);
  const auto points = draw_points(columns.size(), options);
  std::vector<std::vector<double>> shares(columns.size());
  for (const Tree& tree : forest.trees()) {
    const std::vector<double> of_tree = shares_of(boxes_of(tree, columns), points);
    for (std::size_t c = 0; c < of_tree.size(); ++c) shares[c].push_back(of_tree[c]);
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].parameter != Column::kBudget) out.parameters[columns[c].parameter] = estimate(shares[c]);
  }
  return out;
}

}  // namespace dlrun::importance
