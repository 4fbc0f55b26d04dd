// SPDX-License-Identifier: Apache-2.0
#include "exact/favourites.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "placement/list_parts.hpp"
#include "placement/orders.hpp"

namespace dlrun::exact {

namespace {

using namespace placement;
using cpsat::Literal;
using cpsat::Term;
using cpsat::Variable;

constexpr double kTicksOfWay = 1e7;  ///< in the longest way without favourites

/// Work and transfers of a graph, in seconds or ticks.
template <class Time>
struct Ways {
  Lists children;              ///< readers of each node, each once
  std::vector<Time> work;      ///< seconds or ticks that each node takes
  std::vector<Time> transfer;  ///< seconds or ticks that each node's output takes

  /// When each node can begin at the earliest without favourites.
  std::vector<Time> begins(const Order& topological) const {
    std::vector<Time> begin(work.size(), 0);
    for (const int node : topological) {
      const auto from = std::size_t(node);
      for (const int reader : children[from]) {
        Time& begins = begin[std::size_t(reader)];
        begins = std::max(begins, begin[from] + work[from] + transfer[from]);
      }
    }
    return begin;
  }

  Time longest(const std::vector<Time>& begin) const {
    Time end = 0;
    for (std::size_t node = 0; node < work.size(); ++node) end = std::max(end, begin[node] + work[node]);
    return end;
  }
};

/// Readers of each node, each once.
Lists readers_of(const Graph& graph) {
  Lists readers = children_of(graph);
  for (std::vector<int>& all : readers) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  return readers;
}

Ways<double> ways_of(const Graph& graph, const Cluster& cluster, bool trains) {
  Ways<double> ways{readers_of(graph), {}, {}};
  for (const Node& node : graph.nodes) {
    ways.work.push_back((node.forward + (trains ? node.backward : 0)) * mean_slowness(cluster));
    ways.transfer.push_back(mean_transfer_seconds(node.out_bytes, cluster) * (trains ? 2 : 1));
  }
  return ways;
}

std::vector<std::int64_t> in_ticks(const std::vector<double>& seconds, double tick) {
  std::vector<std::int64_t> ticks;
  for (const double time : seconds) ticks.push_back(std::int64_t(std::floor(time / tick + 0.5)));
  return ticks;
}

class FavouriteModel {
 public:
  FavouriteModel(const Ways<std::int64_t>& ways, const Order& topological) : ways_(ways) {
    const auto begin = ways_.begins(topological);
    const std::int64_t horizon = ways_.longest(begin);
    for (const std::int64_t known : begin) {
      begin_.push_back(model_.variable({0, horizon}));
      model_.suggest(begin_.back(), known);
    }
    const Variable end = model_.variable({0, horizon});
    model_.suggest(end, horizon);
    for (std::size_t node = 0; node < begin.size(); ++node)
      model_.require_sum({{1, end}, {-1, begin_[node]}}, {.least = ways_.work[node]});
    add_edges();
    model_.minimize(end);
  }

  Favourites solve(const cpsat::Solver& solver, const cpsat::Limits& limits) const {
    Favourites favourites(begin_.size(), kNoFavourite);
    const cpsat::Answer answer = solver.solve(model_, limits);
    for (std::size_t i = 0; i < edges_.size() && !answer.values.empty(); ++i) {
      const auto [from, to] = edges_[i];
      if (answer.values[std::size_t(is_favourite_[i])] != 0) favourites[std::size_t(from)] = to;
    }
    return favourites;
  }

 private:
  void add_edges() {
    std::vector<std::vector<Term>> children(begin_.size()), parents(begin_.size());
    for (std::size_t from = 0; from < begin_.size(); ++from) {
      for (const int to : ways_.children[from]) {
        const Literal favourite = add_edge(from, std::size_t(to));
        children[from].push_back({1, favourite});
        parents[std::size_t(to)].push_back({1, favourite});
      }
    }
    for (const auto& all : {children, parents}) {
      for (const std::vector<Term>& literals : all) {
        if (literals.size() > 1) model_.require_sum(literals, {.most = 1});
      }
    }
  }

  Literal add_edge(std::size_t from, std::size_t to) {
    const Literal favourite = model_.literal();
    model_.suggest(favourite, 0);
    model_.require_sum({{1, begin_[to]}, {-1, begin_[from]}, {ways_.transfer[from], favourite}},
                       {.least = ways_.work[from] + ways_.transfer[from]});
    edges_.emplace_back(from, to);
    is_favourite_.push_back(favourite);
    return favourite;
  }

  const Ways<std::int64_t>& ways_;
  cpsat::Model model_;
  std::vector<Variable> begin_;  ///< each node's
  std::vector<Edge> edges_;
  std::vector<Literal> is_favourite_;  ///< one for each edge
};

/// Favourites for nodes that the solver left without, as no way becomes longer by one more: nodes with the longest ways
/// to the end first, each the reader with the longest way of those that are no favourite yet.
class Completion {
 public:
  Completion(const Ways<std::int64_t>& ways, const Order& topological, Favourites& favourites)
      : ways_(ways), favourites_(favourites), is_taken_(favourites.size(), 0), way_(ways.work) {
    for (const int child : favourites_) {
      if (child != kNoFavourite) is_taken_[std::size_t(child)] = 1;
    }
    std::for_each(topological.rbegin(), topological.rend(), [&](int node) { measure(node); });
  }

  void complete() {
    std::vector<int> order(way_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return way_[std::size_t(a)] > way_[std::size_t(b)]; });
    for (const int node : order) choose(node);
  }

 private:
  void measure(int node) {
    const auto i = std::size_t(node);
    for (const int reader : ways_.children[std::size_t(node)]) {
      const std::int64_t travel = favourites_[i] == reader ? 0 : ways_.transfer[i];
      way_[i] = std::max(way_[i], ways_.work[i] + travel + way_[std::size_t(reader)]);
    }
  }

  void choose(int node) {
    int& favourite = favourites_[std::size_t(node)];
    if (favourite != kNoFavourite) return;
    for (const int reader : ways_.children[std::size_t(node)]) {
      if (is_taken_[std::size_t(reader)]) continue;
      if (favourite == kNoFavourite || way_[std::size_t(reader)] > way_[std::size_t(favourite)]) favourite = reader;
    }
    if (favourite != kNoFavourite) is_taken_[std::size_t(favourite)] = 1;
  }

  const Ways<std::int64_t>& ways_;
  Favourites& favourites_;
  std::vector<char> is_taken_;     ///< nodes that are a favourite
  std::vector<std::int64_t> way_;  ///< ticks from each node's begin to the end
};

}  // namespace

Favourites favourite_children(const Graph& graph, const Cluster& cluster, bool trains, const cpsat::Solver& solver,
                              const cpsat::Limits& limits) {
  const Order topological = kahn(graph);
  const Ways<double> seconds = ways_of(graph, cluster, trains);
  const double longest = seconds.longest(seconds.begins(topological));
  if (longest <= 0) return Favourites(graph.nodes.size(), kNoFavourite);
  const double tick = longest / kTicksOfWay;
  const Ways<std::int64_t> ways{seconds.children, in_ticks(seconds.work, tick), in_ticks(seconds.transfer, tick)};
  Favourites favourites = FavouriteModel(ways, topological).solve(solver, limits);
  Completion(ways, topological, favourites).complete();
  return favourites;
}

FavouriteFinder favourite_finder(const cpsat::Solver& solver, double effort) {
  return [&solver, effort](const Graph& graph, const Cluster& cluster, bool trains) {
    return favourite_children(graph, cluster, trains, solver, {.effort = effort});
  };
}

}  // namespace dlrun::exact
