// SPDX-License-Identifier: Apache-2.0
#include "placement/cross_entropy.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace dlrun::placement {

namespace {

constexpr std::size_t kThirds = 3;
constexpr int kNone = -1;

struct Drawn {
  Placement placement;
  std::vector<char> follows;  ///< by place in the order: whether the node follows its neighbour
  Cost cost;
};

/// By place in the order: of the neighbours that are decided before, the one with most bytes between them.
std::vector<int> heaviest_before(const Graph& graph, const Order& order) {
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[std::size_t(order[i])] = i;
  std::vector<int> heaviest(order.size(), kNone);
  std::vector<std::int64_t> most(order.size(), -1);
  for (auto [from, to] : graph.edges) {
    const std::int64_t bytes = graph.nodes[std::size_t(from)].out_bytes;
    if (place[std::size_t(from)] > place[std::size_t(to)]) std::swap(from, to);
    const std::size_t later = place[std::size_t(to)];
    if (bytes <= most[later]) continue;
    most[later] = bytes;
    heaviest[later] = from;
  }
  return heaviest;
}

class Table {
 public:
  Table(const Graph& graph, const Order& order, int devices, const CrossEntropyOptions& options)
      : order_(order), heaviest_(heaviest_before(graph, order)), devices_(std::size_t(devices)), options_(options) {
    forget();
  }

  /// All devices are equally probable again.
  void forget() {
    rows_.assign(order_.size(), std::vector<double>(devices_, 1.0 / double(devices_)));
    follows_.fill(options_.follows);
  }

  Drawn draw(RandomStream& chance) const {
    Drawn drawn{Placement(order_.size()), std::vector<char>(order_.size()), {}};
    for (std::size_t i = 0; i < order_.size(); ++i) {
      drawn.follows[i] = heaviest_[i] != kNone && chance.uniform() < follows_[third(i)];
      drawn.placement[std::size_t(order_[i])] =
          drawn.follows[i] ? drawn.placement[std::size_t(heaviest_[i])] : device_of(rows_[i], chance);
    }
    return drawn;
  }

  void move_to(const std::vector<Drawn>& elite) {
    for (std::size_t i = 0; i < order_.size(); ++i) move_row(i, elite);
    for (std::size_t part = 0; part < kThirds; ++part) move_follows(part, elite);
  }

 private:
  std::size_t third(std::size_t i) const { return i * kThirds / order_.size(); }
  double between(double old, double seen) const { return old + options_.smoothing * (seen - old); }

  static int device_of(const std::vector<double>& row, RandomStream& chance) {
    double left = chance.uniform();
    std::size_t device = 0;
    while (device + 1 < row.size() && left >= row[device]) left -= row[device++];
    return int(device);
  }

  /// Draws of nodes that followed a neighbour say nothing about their own rows.
  void move_row(std::size_t i, const std::vector<Drawn>& elite) {
    std::vector<double> count(devices_);
    double all = 0;
    for (const Drawn& drawn : elite) {
      if (drawn.follows[i]) continue;
      ++count[std::size_t(drawn.placement[std::size_t(order_[i])])];
      ++all;
    }
    for (std::size_t device = 0; all > 0 && device < devices_; ++device)
      rows_[i][device] = between(rows_[i][device], count[device] / all);
  }

  void move_follows(std::size_t part, const std::vector<Drawn>& elite) {
    double follows = 0, all = 0;
    for (const Drawn& drawn : elite) {
      for (std::size_t i = 0; i < order_.size(); ++i) {
        if (third(i) != part || heaviest_[i] == kNone) continue;
        follows += drawn.follows[i];
        ++all;
      }
    }
    if (all > 0) follows_[part] = between(follows_[part], follows / all);
  }

  const Order& order_;
  std::vector<int> heaviest_;
  std::size_t devices_;
  const CrossEntropyOptions& options_;
  std::vector<std::vector<double>> rows_;  ///< by place in the order, the probability of each device
  std::array<double, kThirds> follows_{};
};

}  // namespace

Placement cross_entropy(Evaluator& evaluator, const Graph& graph, const Order& order, const Placement& start,
                        RandomStream& chance, const CrossEntropyOptions& options) {
  Table table(graph, order, evaluator.cluster().size(), options);
  const auto elite = std::size_t(std::max(1.0, std::ceil(options.elite * options.population)));
  Placement best = start;
  Cost least = evaluator.cost(start);
  while (evaluator.left() >= options.population) {
    std::vector<Drawn> round;
    for (int i = 0; i < options.population; ++i) {
      round.push_back(table.draw(chance));
      round.back().cost = evaluator.cost(round.back().placement);
    }
    std::stable_sort(round.begin(), round.end(), [](const Drawn& a, const Drawn& b) { return a.cost < b.cost; });
    const bool is_settled = round.front().cost == round.back().cost;
    round.resize(elite);
    if (round.front().cost < least) {
      least = round.front().cost;
      best = round.front().placement;
    }
    is_settled ? table.forget() : table.move_to(round);
  }
  return best;
}

}  // namespace dlrun::placement
