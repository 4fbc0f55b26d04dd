// SPDX-License-Identifier: Apache-2.0
#include "placement/cuts.hpp"

#include <metis.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "placement/baselines.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

static_assert(sizeof(idx_t) == sizeof(int), "METIS was built with other numbers");

constexpr double kWhole = 1e6;                         ///< sum of all weights
constexpr double kImbalances[] = {0.03, 0.1, 0.3, 1};  ///< shares above the mean
constexpr double kLeastOfHeaviest = 0.5;               ///< a part weighs at least so much of the heaviest node
constexpr idx_t kSeed = 1;

/// Each value's share of the sum, in parts of a million.
std::vector<int> shares_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  std::vector<int> shares;
  for (const double value : values) shares.push_back(sum > 0 ? int(std::lround(value / sum * kWhole)) : 0);
  return shares;
}

/// Seconds that travel between each two groups, in any direction.
std::map<Edge, double> travel_of(const Graph& graph, const std::vector<int>& number, const Link& link, bool trains) {
  std::map<Edge, double> travel;
  std::set<Edge> is_sent;  // an output travels once, whoever reads it
  for (const auto& [from, reader] : graph.edges) {
    const int there = number[std::size_t(reader)], here = number[std::size_t(from)];
    if (here == there || !is_sent.emplace(from, there).second) continue;
    const double once = link.seconds(graph.nodes[std::size_t(from)].out_bytes);
    travel[std::minmax(here, there)] += trains ? 2 * once : once;
  }
  return travel;
}

/// METIS takes no edge of weight 0.
std::vector<int> weights_of(const std::map<Edge, double>& travel) {
  std::vector<double> seconds;
  for (const auto& [edge, value] : travel) seconds.push_back(value);
  std::vector<int> weights = shares_of(seconds);
  for (int& weight : weights) weight = std::max(1, weight);
  return weights;
}

void add_edges(std::size_t nodes, const std::map<Edge, double>& travel, WeightedGraph& out) {
  const std::vector<int> weights = weights_of(travel);
  std::vector<std::vector<Edge>> ends(nodes);  // neighbour and weight
  std::size_t number = 0;
  for (const auto& [edge, seconds] : travel) {
    ends[std::size_t(edge.first)].emplace_back(edge.second, weights[number]);
    ends[std::size_t(edge.second)].emplace_back(edge.first, weights[number++]);
  }
  out.begin = {0};
  for (const auto& of_node : ends) {
    for (const auto& [neighbour, weight] : of_node) {
      out.neighbours.push_back(neighbour);
      out.edge_weights.push_back(weight);
    }
    out.begin.push_back(int(out.neighbours.size()));
  }
}

std::vector<idx_t> options_of(double imbalance) {
  std::vector<idx_t> options(METIS_NOPTIONS);
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = kSeed;
  options[METIS_OPTION_UFACTOR] = idx_t(std::lround(imbalance * 1000));
  return options;
}

/// Weights of nodes as METIS takes them, one after the other for each node.
std::vector<idx_t> node_weights(const WeightedGraph& graph, bool balances_bytes) {
  std::vector<idx_t> weights;
  for (std::size_t node = 0; node < graph.work.size(); ++node) {
    weights.push_back(graph.work[node]);
    if (balances_bytes) weights.push_back(graph.bytes[node]);
  }
  return weights;
}

/// The share of each part of all weights, as METIS takes it; empty where all are equal.
std::vector<real_t> targets_of(const std::vector<double>& shares, idx_t constraints) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<real_t> targets;
  for (const double share : shares) targets.insert(targets.end(), std::size_t(constraints), real_t(share / sum));
  const bool are_equal =
      std::all_of(shares.begin(), shares.end(), [&](double share) { return share == shares.front(); });
  return are_equal ? std::vector<real_t>{} : targets;
}

/// METIS may leave a part empty, and complains of that on standard output, where one node weighs much more than a part.
bool is_too_small(double part, const std::vector<int>& weights) {
  return part < kLeastOfHeaviest * *std::max_element(weights.begin(), weights.end());
}

std::vector<int> fastest_first(const Cluster& cluster) {
  std::vector<int> devices(std::size_t(cluster.size()));
  std::iota(devices.begin(), devices.end(), 0);
  std::stable_sort(devices.begin(), devices.end(), [&](int a, int b) {
    return cluster.devices[std::size_t(a)].speed > cluster.devices[std::size_t(b)].speed;
  });
  return devices;
}

}  // namespace

std::vector<int> group_numbers(const Graph& graph) {
  const std::vector<int> leaders = leaders_of(graph);
  std::vector<int> numbers;
  int next = 0;
  for (std::size_t node = 0; node < leaders.size(); ++node) {
    const bool is_first = leaders[node] == int(node);
    numbers.push_back(is_first ? next++ : numbers[std::size_t(leaders[node])]);
  }
  return numbers;
}

WeightedGraph weighted_graph(const Graph& graph, const Link& link, bool trains) {
  WeightedGraph out;
  const std::vector<int> number = group_numbers(graph);
  const auto groups = std::size_t(*std::max_element(number.begin(), number.end()) + 1);
  std::vector<double> work(groups), bytes(groups);
  for (std::size_t i = 0; i < number.size(); ++i) {
    const Node& node = graph.nodes[i];
    work[std::size_t(number[i])] += node.forward + (trains ? node.backward : 0);
    bytes[std::size_t(number[i])] += double(node.out_bytes) + double(node.param_bytes);
  }
  out.work = shares_of(work);
  out.bytes = shares_of(bytes);
  add_edges(groups, travel_of(graph, number, link, trains), out);
  return out;
}

std::int64_t cut_weight(const WeightedGraph& graph, const Placement& part) {
  std::int64_t twice = 0;
  for (std::size_t node = 0; node < part.size(); ++node) {
    for (int i = graph.begin[node]; i < graph.begin[node + 1]; ++i) {
      if (part[std::size_t(graph.neighbours[std::size_t(i)])] != part[node])
        twice += graph.edge_weights[std::size_t(i)];
    }
  }
  return twice / 2;
}

Cut cut_by_metis(const WeightedGraph& graph, const std::vector<double>& shares, double imbalance, bool balances_bytes) {
  Cut cut{Placement(graph.work.size()), 0};
  std::vector<idx_t> options = options_of(imbalance), weights = node_weights(graph, balances_bytes);
  WeightedGraph own = graph;  // METIS promises not to change what it asks for as changeable
  idx_t nodes = idx_t(graph.work.size()), constraints = balances_bytes ? 2 : 1, count = idx_t(shares.size()),
        weight = 0;
  std::vector<real_t> targets = targets_of(shares, constraints);
  const int status = METIS_PartGraphKway(
      &nodes, &constraints, own.begin.data(), own.neighbours.data(), weights.data(), nullptr, own.edge_weights.data(),
      &count, targets.empty() ? nullptr : targets.data(), nullptr, options.data(), &weight, cut.part.data());
  if (status != METIS_OK) throw Error(ErrorKind::internal, "METIS cannot cut the graph");
  cut.weight = weight;
  return cut;
}

void try_cuts(Evaluator& evaluator, const Graph& graph) {
  const Cluster& cluster = evaluator.cluster();
  const WeightedGraph weighted = weighted_graph(graph, cluster.mean_link(), evaluator.step().trains());
  const bool has_limits = std::any_of(cluster.devices.begin(), cluster.devices.end(),
                                      [](const Device& device) { return device.memory > 0; });
  const std::vector<int> fastest = fastest_first(cluster);
  evaluator.cost(on_one(graph, fastest.front()));
  const std::vector<int> number = group_numbers(graph);
  for (int parts = 2; parts <= std::min(cluster.size(), int(weighted.work.size())); ++parts) {
    std::vector<double> speeds;
    for (int part = 0; part < parts; ++part)
      speeds.push_back(cluster.devices[std::size_t(fastest[std::size_t(part)])].speed);
    const double least = kWhole * speeds.back() / std::accumulate(speeds.begin(), speeds.end(), 0.0);
    if (is_too_small(least, weighted.work) || (has_limits && is_too_small(least, weighted.bytes))) return;
    for (const double imbalance : kImbalances) {
      if (evaluator.is_spent()) return;
      const Placement part = cut_by_metis(weighted, speeds, imbalance, has_limits).part;
      Placement placement;
      for (const int group : number) placement.push_back(fastest[std::size_t(part[std::size_t(group)])]);
      evaluator.cost(placement);
    }
  }
}

}  // namespace dlrun::placement
