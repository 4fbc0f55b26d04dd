// SPDX-License-Identifier: Apache-2.0
// Growing one tree. Trials are sorted along every column once; a split divides the sorted lists and keeps their order.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "importance/forest.hpp"

namespace dlrun::importance {

namespace {

/// Number of some drawn trials, and the sum of their objectives.
struct Moments {
  double weight = 0, sum = 0;
  void add_trial(double w, double y) { weight += w, sum += w * y; }
  /// Part of the sum of squares that the trials' own mean explains.
  double score() const { return weight > 0 ? sum * sum / weight : 0; }
};
Moments operator-(const Moments& a, const Moments& b) { return {a.weight - b.weight, a.sum - b.sum}; }

struct Split {
  double gain = 0;
  std::int32_t column = -1;
  double threshold = 0;
  std::vector<bool> left_classes;
};

/// Classes of each set that a node's box has, by column; empty for numbers.
using Box = std::vector<std::vector<bool>>;

struct Task {
  std::int32_t node;
  std::size_t begin, end;  ///< range within every sorted list
  double mean;             ///< mean of the node above, for a box that no trial is in
  Box box;
};

class Grower {
 public:
  Grower(const std::vector<Column>& columns, const std::vector<double>& y, const std::vector<double>& weights,
         const ForestOptions& options);
  Tree grow();

 private:
  Split best_split(const Task& task, const Moments& all) const;
  void try_number(const Task& task, std::size_t column, const Moments& all, Split& best) const;
  void try_set(const Task& task, std::size_t column, const Moments& all, Split& best) const;
  std::optional<Guard> obstacle(std::size_t column, const Box& box) const;
  Moments moments(const Task& task) const;
  bool is_constant(const Task& task) const;
  std::size_t divide(const Task& task, const Split& split);
  std::pair<Box, Box> boxes(const Box& box, const Split& split) const;

  const std::vector<Column>& columns_;
  const std::vector<double>& y_;
  const std::vector<double>& weights_;
  double least_leaf_;
  std::vector<std::vector<std::uint32_t>> order_;  ///< by column, NaN last; of a set in any order
  std::vector<std::uint8_t> is_left_;
  std::vector<std::uint32_t> right_;
  mutable std::vector<Moments> classes_;
  mutable std::vector<std::uint32_t> sorted_;
};

Grower::Grower(const std::vector<Column>& columns, const std::vector<double>& y, const std::vector<double>& weights,
               const ForestOptions& options)
    : columns_(columns), y_(y), weights_(weights), least_leaf_(options.least_leaf), is_left_(y.size()) {
  std::vector<std::uint32_t> drawn;
  for (std::uint32_t i = 0; i < y.size(); ++i) {
    if (weights[i] > 0) drawn.push_back(i);
  }
  for (const Column& column : columns) {
    order_.push_back(drawn);
    if (column.is_set()) continue;
    std::stable_sort(order_.back().begin(), order_.back().end(), [&](std::uint32_t a, std::uint32_t b) {
      return column.x[a] < column.x[b] || (std::isnan(column.x[b]) && !std::isnan(column.x[a]));
    });
  }
  if (order_.empty()) order_.push_back(drawn);
}

Tree Grower::grow() {
  Tree tree;
  Box whole;
  for (const Column& column : columns_) whole.emplace_back(column.measure.size(), true);
  std::vector<Task> tasks;
  tasks.push_back({0, 0, order_[0].size(), 0, std::move(whole)});
  tree.nodes.emplace_back();
  while (!tasks.empty()) {
    const Task task = std::move(tasks.back());
    tasks.pop_back();
    const Moments all = moments(task);
    const double mean = all.weight > 0 ? all.sum / all.weight : task.mean;
    Split split = best_split(task, all);
    if (split.column < 0) {
      tree.nodes[std::size_t(task.node)].value = mean;
      continue;
    }
    const std::size_t middle = divide(task, split);
    auto [left, right] = boxes(task.box, split);
    const auto next = std::int32_t(tree.nodes.size());
    tree.nodes[std::size_t(task.node)] = {split.column, split.threshold, std::move(split.left_classes),
                                          next,         next + 1,        0};
    tree.nodes.resize(tree.nodes.size() + 2);
    tasks.push_back({next, task.begin, middle, mean, std::move(left)});
    tasks.push_back({next + 1, middle, task.end, mean, std::move(right)});
  }
  return tree;
}

Moments Grower::moments(const Task& task) const {
  Moments all;
  for (std::size_t k = task.begin; k < task.end; ++k) all.add_trial(weights_[order_[0][k]], y_[order_[0][k]]);
  return all;
}

bool Grower::is_constant(const Task& task) const {
  const double first = y_[order_[0][task.begin]];
  return std::all_of(order_[0].begin() + std::ptrdiff_t(task.begin), order_[0].begin() + std::ptrdiff_t(task.end),
                     [&](std::uint32_t i) { return y_[i] == first; });
}

/// The first condition of a column that holds in a part of the box only; nullopt: it is active everywhere.
std::optional<Guard> Grower::obstacle(std::size_t column, const Box& box) const {
  for (const Guard& guard : columns_[column].guards) {
    if (auto earlier = obstacle(guard.column, box)) return earlier;
    for (std::size_t c = 0; c < guard.classes.size(); ++c) {
      if (box[guard.column][c] && !guard.classes[c]) return guard;
    }
  }
  return std::nullopt;
}

Split Grower::best_split(const Task& task, const Moments& all) const {
  Split best;
  if (all.weight < 2 * least_leaf_ || is_constant(task)) return best;
  best.gain = 1e-12 * std::abs(all.score());
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const auto guard = columns_[column].guards.empty() ? std::nullopt : obstacle(column, task.box);
    Split found{.gain = guard ? 2 * best.gain : best.gain};
    columns_[column].is_set() ? try_set(task, column, all, found) : try_number(task, column, all, found);
    if (found.column < 0) continue;
    if (guard) found = {found.gain / 2, std::int32_t(guard->column), 0, guard->classes};
    best = std::move(found);
  }
  return best;
}

void Grower::try_number(const Task& task, std::size_t column, const Moments& all, Split& best) const {
  const double* const x = columns_[column].x.data();
  const std::uint32_t* const order = order_[column].data();
  std::size_t end = task.end;
  Moments inactive;
  for (; end > task.begin && std::isnan(x[order[end - 1]]); --end) {
    inactive.add_trial(weights_[order[end - 1]], y_[order[end - 1]]);
  }
  if (inactive.weight > 0 && inactive.weight < least_leaf_) return;
  const Moments active = all - inactive;
  const double base = inactive.score() - all.score();
  Moments left;
  for (std::size_t k = task.begin; k + 1 < end; ++k) {
    left.add_trial(weights_[order[k]], y_[order[k]]);
    if (left.weight < least_leaf_) continue;
    if (active.weight - left.weight < least_leaf_) break;
    const double gain = base + left.score() + (active - left).score();
    if (!(gain > best.gain)) continue;
    const double a = x[order[k]], b = x[order[k + 1]];
    if (!(a < b)) continue;
    best.gain = gain;
    best.column = std::int32_t(column);
    best.threshold = a + (b - a) / 2;
    if (!(best.threshold > a)) best.threshold = b;
  }
}

/// Classes in the order of their means: some first of them make the best of all divisions (Breiman et al. 1984, 4.2.2).
void Grower::try_set(const Task& task, std::size_t column, const Moments& all, Split& best) const {
  const Column& c = columns_[column];
  classes_.assign(c.measure.size(), {});
  Moments inactive;
  for (std::size_t k = task.begin; k < task.end; ++k) {
    const std::uint32_t i = order_[column][k];
    (std::isnan(c.x[i]) ? inactive : classes_[std::size_t(c.x[i])]).add_trial(weights_[i], y_[i]);
  }
  if (inactive.weight > 0 && inactive.weight < least_leaf_) return;
  sorted_.clear();
  for (std::uint32_t k = 0; k < classes_.size(); ++k) {
    if (classes_[k].weight > 0) sorted_.push_back(k);
  }
  const auto mean = [&](std::uint32_t k) { return classes_[k].sum / classes_[k].weight; };
  std::stable_sort(sorted_.begin(), sorted_.end(), [&](auto a, auto b) { return mean(a) < mean(b); });
  const Moments active = all - inactive;
  const double base = inactive.score() - all.score();
  Moments left;
  std::size_t first = 0;
  bool is_left_larger = false;
  for (std::size_t k = 0; k + 1 < sorted_.size(); ++k) {
    left.weight += classes_[sorted_[k]].weight;
    left.sum += classes_[sorted_[k]].sum;
    if (left.weight < least_leaf_ || active.weight - left.weight < least_leaf_) continue;
    const double gain = base + left.score() + (active - left).score();
    if (!(gain > best.gain)) continue;
    best.gain = gain;
    best.column = std::int32_t(column);
    first = k + 1;
    is_left_larger = 2 * left.weight > active.weight;
  }
  if (best.column != std::int32_t(column) || first == 0) return;
  best.left_classes.assign(classes_.size(), false);
  for (std::size_t k = 0; k < classes_.size(); ++k) best.left_classes[k] = is_left_larger && classes_[k].weight == 0;
  for (std::size_t k = 0; k < first; ++k) best.left_classes[sorted_[k]] = true;
}

/// Puts what goes left first in every list; where the rest begins.
std::size_t Grower::divide(const Task& task, const Split& split) {
  const Column& column = columns_[std::size_t(split.column)];
  std::size_t lefts = 0;
  for (std::size_t k = task.begin; k < task.end; ++k) {
    const std::uint32_t i = order_[0][k];
    const double x = column.x[i];
    const bool is_left = split.left_classes.empty() ? x < split.threshold : split.left_classes[std::size_t(x)];
    is_left_[i] = is_left ? 1 : 0;
    lefts += is_left ? 1 : 0;
  }
  right_.resize(task.end - task.begin);
  for (auto& order : order_) {
    std::size_t left = task.begin, right = 0;
    for (std::size_t k = task.begin; k < task.end; ++k) {
      const std::uint32_t i = order[k];
      order[left] = i;  // no branches: both are written, one counts
      right_[right] = i;
      left += is_left_[i];
      right += 1 - is_left_[i];
    }
    std::copy_n(right_.begin(), right, order.begin() + std::ptrdiff_t(left));
  }
  return task.begin + lefts;
}

std::pair<Box, Box> Grower::boxes(const Box& box, const Split& split) const {
  std::pair<Box, Box> both{box, box};
  if (split.left_classes.empty()) return both;
  const auto column = std::size_t(split.column);
  for (std::size_t c = 0; c < split.left_classes.size(); ++c) {
    (split.left_classes[c] ? both.second : both.first)[column][c] = false;
  }
  return both;
}

}  // namespace

Tree grow(const std::vector<Column>& columns, const std::vector<double>& y, const std::vector<double>& weights,
          const ForestOptions& options) {
  return Grower(columns, y, weights, options).grow();
}

}  // namespace dlrun::importance
