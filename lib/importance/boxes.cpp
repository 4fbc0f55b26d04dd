// SPDX-License-Identifier: Apache-2.0
#include "importance/boxes.hpp"

#include <algorithm>

namespace dlrun::importance {

namespace {

/// The thresholds of every number, ascending, with 0 and 1 around them.
std::vector<std::vector<double>> thresholds_of(const Tree& tree, const std::vector<Column>& columns) {
  std::vector<std::vector<double>> all(columns.size(), std::vector<double>{0, 1});
  for (const Node& node : tree.nodes) {
    if (node.column >= 0 && node.left_classes.empty()) all[std::size_t(node.column)].push_back(node.threshold);
  }
  for (auto& column : all) {
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
  }
  return all;
}

class Walk {
 public:
  Walk(const Tree& tree, const std::vector<Column>& columns)
      : tree_(tree), columns_(columns), thresholds_(thresholds_of(tree, columns)) {
    const bool has_budget = !columns.empty() && columns.back().parameter == Column::kBudget;
    count_ = columns.size() - (has_budget ? 1 : 0);
  }

  Boxes boxes() {
    Boxes out;
    for (std::size_t c = 0; c < count_; ++c) out.cells.push_back(cells(c));
    std::vector<Extent> whole(count_);
    for (std::size_t c = 0; c < count_; ++c) whole[c].runs = {{0, std::uint32_t(out.cells[c].size())}};
    visit(tree_.nodes[0], whole, out);
    return out;
  }

 private:
  std::vector<double> cells(std::size_t column) const {
    if (columns_[column].is_set()) return columns_[column].measure;
    std::vector<double> widths;
    for (std::size_t i = 0; i + 1 < thresholds_[column].size(); ++i) {
      widths.push_back(thresholds_[column][i + 1] - thresholds_[column][i]);
    }
    return widths;
  }

  void visit(const Node& node, std::vector<Extent>& extents, Boxes& out) const {
    if (node.column < 0) {
      Leaf leaf{node.value, 1, extents};
      for (const Extent& extent : extents) leaf.measure *= extent.measure;
      out.leaves.push_back(std::move(leaf));
      return;
    }
    const auto column = std::size_t(node.column);
    const Node& right = tree_.nodes[std::size_t(node.right)];
    if (column == count_) return visit(right, extents, out);  // the whole budget is above every threshold
    const Extent here = extents[column];
    extents[column] = part(node, here, true);
    visit(tree_.nodes[std::size_t(node.left)], extents, out);
    extents[column] = part(node, here, false);
    visit(right, extents, out);
    extents[column] = here;
  }

  Extent part(const Node& node, const Extent& whole, bool is_left) const {
    return node.left_classes.empty() ? part_of_numbers(node, whole, is_left) : part_of_set(node, whole, is_left);
  }

  Extent part_of_numbers(const Node& node, const Extent& whole, bool is_left) const {
    const auto& thresholds = thresholds_[std::size_t(node.column)];
    const auto at = std::lower_bound(thresholds.begin(), thresholds.end(), node.threshold) - thresholds.begin();
    Run run = whole.runs[0];
    (is_left ? run.end : run.begin) = std::uint32_t(at);
    return {{run}, thresholds[run.end] - thresholds[run.begin]};
  }

  Extent part_of_set(const Node& node, const Extent& whole, bool is_left) const {
    const auto& measure = columns_[std::size_t(node.column)].measure;
    Extent out{{}, 0};
    for (const Run& run : whole.runs) {
      for (std::uint32_t k = run.begin; k < run.end; ++k) {
        if (node.left_classes[k] != is_left) continue;
        out.measure += measure[k];
        const bool continues = !out.runs.empty() && out.runs.back().end == k;
        continues ? void(++out.runs.back().end) : out.runs.push_back({k, k + 1});
      }
    }
    return out;
  }

  const Tree& tree_;
  const std::vector<Column>& columns_;
  std::vector<std::vector<double>> thresholds_;
  std::size_t count_ = 0;
};

}  // namespace

Boxes boxes_of(const Tree& tree, const std::vector<Column>& columns) { return Walk(tree, columns).boxes(); }

}  // namespace dlrun::importance
