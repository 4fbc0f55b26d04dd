// SPDX-License-Identifier: Apache-2.0
#include "placement/coarsening.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace dlrun::placement {

namespace {

class Coarsening {
 public:
  Coarsening(const Graph& graph, int most)
      : graph_(graph), most_(most), readers_(graph.nodes.size()), producers_(graph.nodes.size()) {
    for (int node = 0; node < graph.size(); ++node) {
      parts_.push_back({node});
      work_.push_back(graph.nodes[std::size_t(node)].forward + graph.nodes[std::size_t(node)].backward);
    }
    part_of_.resize(graph.nodes.size());
    std::iota(part_of_.begin(), part_of_.end(), 0);
    left_ = graph.size();
    for (const auto& [from, to] : graph.edges) {
      readers_[std::size_t(from)].insert(to);
      producers_[std::size_t(to)].insert(from);
    }
  }

  Coarse coarsen() {
    fuse_chains();
    while (left_ > most_ && match()) {
    }
    while (left_ > most_) merge_lightest();
    return result();
  }

 private:
  bool is_there(int node) const { return !parts_[std::size_t(node)].empty(); }
  const std::set<int>& readers(int node) const { return readers_[std::size_t(node)]; }

  void fuse_chains() {
    for (int node = 0; node < graph_.size(); ++node) {
      while (left_ > most_ && is_there(node) && readers(node).size() == 1) {
        const int reader = *readers(node).begin();
        if (producers_[std::size_t(reader)].size() != 1) break;
        merge(node, reader);
      }
    }
  }

  struct Pair {
    std::int64_t bytes = 0;
    int from = 0, to = 0;
  };

  /// One round. @return whether anything was merged
  bool match() {
    std::vector<char> is_matched(graph_.nodes.size());
    const int before = left_;
    for (const auto& [bytes, from, to] : pairs_by_bytes()) {
      if (left_ <= most_) break;
      if (is_matched[std::size_t(from)] || is_matched[std::size_t(to)] || has_other_way(from, to)) continue;
      merge(from, to);
      is_matched[std::size_t(from)] = is_matched[std::size_t(to)] = 1;
    }
    return left_ < before;
  }

  std::vector<Pair> pairs_by_bytes() const {
    std::vector<Pair> pairs;
    for (int node = 0; node < graph_.size(); ++node) {
      const std::int64_t bytes = is_there(node) ? bytes_of(node) : 0;
      for (const int reader : readers(node)) pairs.push_back({bytes, node, reader});
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.bytes > b.bytes; });
    return pairs;
  }

  bool has_other_way(int from, int to) const {
    std::vector<int> ahead{from};
    std::vector<char> is_seen(graph_.nodes.size());
    while (!ahead.empty()) {
      const int node = ahead.back();
      ahead.pop_back();
      for (const int reader : readers(node)) {
        if (reader == to && node != from) return true;
        if (reader == to || is_seen[std::size_t(reader)]) continue;
        is_seen[std::size_t(reader)] = 1;
        ahead.push_back(reader);
      }
    }
    return false;
  }

  /// `other` becomes part of `node`.
  void merge(int node, int other) {
    auto& parts = parts_[std::size_t(node)];
    for (const int part : parts_[std::size_t(other)]) part_of_[std::size_t(part)] = node;
    parts.insert(parts.end(), parts_[std::size_t(other)].begin(), parts_[std::size_t(other)].end());
    parts_[std::size_t(other)].clear();
    take_over(node, other, readers_, producers_);
    take_over(node, other, producers_, readers_);
    work_[std::size_t(node)] += work_[std::size_t(other)];
    --left_;
  }

  static void take_over(int node, int other, std::vector<std::set<int>>& ahead, std::vector<std::set<int>>& back) {
    for (const int neighbour : ahead[std::size_t(other)]) {
      back[std::size_t(neighbour)].erase(other);
      if (neighbour == node) continue;
      back[std::size_t(neighbour)].insert(node);
      ahead[std::size_t(node)].insert(neighbour);
    }
    ahead[std::size_t(other)].clear();
  }

  /// Only where nodes have no edges any more.
  void merge_lightest() {
    std::vector<int> nodes;
    for (int node = 0; node < graph_.size(); ++node) {
      if (is_there(node)) nodes.push_back(node);
    }
    std::partial_sort(nodes.begin(), nodes.begin() + 2, nodes.end(),
                      [&](int a, int b) { return work(a) != work(b) ? work(a) < work(b) : a < b; });
    merge(std::min(nodes[0], nodes[1]), std::max(nodes[0], nodes[1]));
  }

  double work(int node) const { return work_[std::size_t(node)]; }

  /// Bytes of the parts' outputs that others read.
  std::int64_t bytes_of(int node) const {
    std::int64_t bytes = 0;
    for (const int part : parts_[std::size_t(node)]) {
      const auto& read_by = children_[std::size_t(part)];
      const bool leaves = std::any_of(read_by.begin(), read_by.end(),
                                      [&](int reader) { return part_of_[std::size_t(reader)] != node; });
      if (leaves || read_by.empty()) bytes += graph_.nodes[std::size_t(part)].out_bytes;
    }
    return bytes;
  }

  Node merged(int node) const {
    const auto& parts = parts_[std::size_t(node)];
    Node sum{graph_.nodes[std::size_t(parts.front())].name, graph_.nodes[std::size_t(parts.front())].op};
    if (parts.size() > 1) sum.name += "+" + std::to_string(parts.size() - 1);
    for (const int part : parts) {
      sum.forward += graph_.nodes[std::size_t(part)].forward;
      sum.backward += graph_.nodes[std::size_t(part)].backward;
      sum.param_bytes += graph_.nodes[std::size_t(part)].param_bytes;
    }
    sum.out_bytes = bytes_of(node);
    return sum;
  }

  Coarse result() const {
    Coarse coarse;
    coarse.graph.name = graph_.name;
    std::vector<int> number(graph_.nodes.size());
    for (int node = 0; node < graph_.size(); ++node) {
      if (!is_there(node)) continue;
      number[std::size_t(node)] = coarse.graph.size();
      coarse.graph.nodes.push_back(merged(node));
    }
    for (int node = 0; node < graph_.size(); ++node) {
      coarse.node_of.push_back(number[std::size_t(part_of_[std::size_t(node)])]);
      for (const int reader : readers(node))
        coarse.graph.edges.emplace_back(number[std::size_t(node)], number[std::size_t(reader)]);
    }
    return coarse;
  }

  const Graph& graph_;
  int most_, left_ = 0;
  Lists children_ = children_of(graph_);
  std::vector<std::set<int>> readers_, producers_;  ///< between nodes that are left
  Lists parts_;                                     ///< each node's that is left
  std::vector<int> part_of_;
  std::vector<double> work_;  ///< seconds of each node that is left
};

/// Coarse nodes with parts of one group are a group.
void keep_groups(const Graph& graph, Coarse& coarse) {
  std::vector<int> first(coarse.graph.nodes.size());
  std::iota(first.begin(), first.end(), 0);
  const auto find = [&](int node) {
    while (first[std::size_t(node)] != node) node = first[std::size_t(node)];
    return node;
  };
  const std::vector<int> leaders = leaders_of(graph);
  for (int node = 0; node < graph.size(); ++node) {
    const int a = find(coarse.node_of[std::size_t(node)]);
    const int b = find(coarse.node_of[std::size_t(leaders[std::size_t(node)])]);
    first[std::size_t(std::max(a, b))] = std::min(a, b);
  }
  for (int node = 0; node < coarse.graph.size(); ++node) {
    const int leader = find(node);
    if (leader == node) continue;
    const std::string name = coarse.graph.nodes[std::size_t(leader)].name;
    coarse.graph.nodes[std::size_t(leader)].group = coarse.graph.nodes[std::size_t(node)].group = name;
  }
}

}  // namespace

Placement Coarse::expanded(const Placement& placement) const {
  Placement fine;
  for (const int node : node_of) fine.push_back(placement[std::size_t(node)]);
  return fine;
}

Coarse coarsened(const Graph& graph, int most) {
  Coarse coarse = Coarsening(graph, most).coarsen();
  keep_groups(graph, coarse);
  return coarse;
}

}  // namespace dlrun::placement
