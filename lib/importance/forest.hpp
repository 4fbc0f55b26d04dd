// SPDX-License-Identifier: Apache-2.0
// A random forest of regression trees (Breiman 2001): each tree is grown on its own draw of the trials.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "importance/columns.hpp"

namespace dlrun::importance {

struct ForestOptions {
  int trees = 64;
  double least_leaf = 3;  ///< drawn trials of a leaf, at least
  std::uint64_t seed = 0;
};

/// One side of every split takes the coordinates below `threshold` (a number) or the classes `left_classes` (a set).
struct Node {
  std::int32_t column = -1;  ///< -1: a leaf
  double threshold = 0;
  std::vector<bool> left_classes;
  std::int32_t left = 0, right = 0;
  double value = 0;  ///< mean of the objectives, of leaves
};

struct Tree {
  std::vector<Node> nodes;  ///< the root first
};

class Forest {
 public:
  /// @param y [n] objectives. REQUIRES: n >= 2.
  Forest(const std::vector<Column>& columns, const std::vector<double>& y, const ForestOptions& options = {});

  const std::vector<Tree>& trees() const { return trees_; }
  /// Importances::explained of this forest.
  std::optional<double> explained() const { return explained_; }
  std::optional<Gain> gain() const { return gain_; }

 private:
  std::vector<Tree> trees_;
  std::optional<double> explained_;
  std::optional<Gain> gain_;
};

/// Gain of the forest, or of one like it that knows no budgets where there are several: a pruner gives more of it to
/// trials that were lucky, so budgets explain objectives where no parameter does.
/// @param columns  those of `forest`, not empty
std::optional<Gain> gain_by_parameters(const Forest& forest, std::vector<Column> columns, const std::vector<double>& y,
                                       const ForestOptions& options);

/// A tree on trials drawn `weights[i]` times. Of all splits the one that leaves the least squared error is taken. A
/// column that is active in a part of the node only cannot be split there; what its best split in that part would gain
/// counts, halved, for the split that sets that part apart. (grow.cpp)
Tree grow(const std::vector<Column>& columns, const std::vector<double>& y, const std::vector<double>& weights,
          const ForestOptions& options);

}  // namespace dlrun::importance
