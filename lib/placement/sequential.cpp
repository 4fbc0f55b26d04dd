// SPDX-License-Identifier: Apache-2.0
#include "placement/sequential.hpp"

namespace dlrun::placement {

namespace {

/// Moves one node to its best device. @return whether that is another
bool improve(Evaluator& evaluator, int node, Placement& placement, Cost& cost) {
  int& device = placement[std::size_t(node)];
  const int before = device;
  int best = before;
  for (int other = 0; other < evaluator.cluster().size() && !evaluator.is_spent(); ++other) {
    if (other == before) continue;
    device = other;
    const Cost tried = evaluator.cost(placement);
    if (!(tried < cost)) continue;
    cost = tried;
    best = other;
  }
  device = best;
  return best != before;
}

}  // namespace

Placement greedy(Evaluator& evaluator, const Order& order, Placement start, int passes) {
  Cost cost = evaluator.cost(start);
  for (int pass = 0; pass < passes && !evaluator.is_spent(); ++pass) {
    bool has_gained = false;
    for (const int node : order) has_gained |= improve(evaluator, node, start, cost);
    if (!has_gained) break;
  }
  return start;
}

Placement uniform_walk(Evaluator& evaluator, const Order& order, const Placement& start, int episodes,
                       RandomStream& chance) {
  Cost cost = evaluator.cost(start);
  Placement best = start;
  for (int episode = 0; episode < episodes && !evaluator.is_spent(); ++episode) {
    Placement placement = best;
    for (const int node : order) {
      if (evaluator.is_spent()) break;
      placement[std::size_t(node)] = int(chance.below(std::uint64_t(evaluator.cluster().size())));
      const Cost tried = evaluator.cost(placement);
      if (!(tried < cost)) continue;
      cost = tried;
      best = placement;
    }
  }
  return best;
}

}  // namespace dlrun::placement
