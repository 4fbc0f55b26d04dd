// SPDX-License-Identifier: Apache-2.0
// Placements that cut few bytes: parts of equal work by METIS (Karypis, Kumar 1998). A cut knows neither directions nor
// time, so each is judged by simulation.
#pragma once
#include "placement/evaluator.hpp"
#include "placement/graph.hpp"

namespace dlrun::placement {

/// A graph as METIS takes it: whole weights, each edge at both of its ends.
struct WeightedGraph {
  std::vector<int> begin;  ///< where each node's neighbours begin; one more than nodes
  std::vector<int> neighbours, edge_weights;
  std::vector<int> work, bytes;  ///< each node's
};

/// For each node the number of its group: 0, 1, … as they first come; a node that stands alone is a group.
std::vector<int> group_numbers(const Graph& graph);

/// One weighted node for each group. Work is that of a step, bytes those that a node holds of parameters and its
/// output; an edge weighs what its tensor takes to travel, in training there and back. Weights are shares of the sum,
/// in parts of a million.
WeightedGraph weighted_graph(const Graph& graph, const Link& link, bool trains);

/// The weight of edges between nodes with different numbers.
std::int64_t cut_weight(const WeightedGraph& graph, const Placement& part);

struct Cut {
  Placement part;           ///< number of each node
  std::int64_t weight = 0;  ///< cut_weight(), as METIS counts it
};

/// One part for each entry of `shares`, as heavy as its share of their sum says, by work and, if `balances_bytes`, by
/// bytes; `imbalance` is what is allowed above that, as a share of it. REQUIRES: 2 <= parts <= nodes.
Cut cut_by_metis(const WeightedGraph& graph, const std::vector<double>& shares, double imbalance, bool balances_bytes);

/// Cuts into 1, 2, … parts, by speed for as many of the fastest devices, with several imbalances, as long as no
/// node weighs more than twice a part. The evaluator keeps the best.
void try_cuts(Evaluator& evaluator, const Graph& graph);

}  // namespace dlrun::placement
