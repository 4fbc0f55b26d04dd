// SPDX-License-Identifier: Apache-2.0
#include "exact/favourites.hpp"

#include "placement/portfolio.hpp"
#include "support/catch.hpp"
#include "support/cpsat.hpp"
#include "unit/placement/every_placement.hpp"
#include "unit/placement/waiting.hpp"

namespace dlrun::exact {

namespace {

using namespace placement;

/// Nodes whose edges lead from lower to higher numbers, with all ways that favourites may be chosen.
class Choices {
 public:
  Choices(const Graph& graph, double passes, const Link& link)
      : graph_(graph), children_(children_of(graph)), passes_(passes), link_(link) {}

  /// The longest way where transfers to favourites take no time.
  double longest(const Favourites& favourites) const {
    std::vector<double> begin(graph_.nodes.size());
    double most = 0;
    for (int node = 0; node < graph_.size(); ++node) {
      const Node& from = graph_.nodes[std::size_t(node)];
      const double end = begin[std::size_t(node)] + from.forward + (passes_ > 1 ? from.backward : 0);
      most = std::max(most, end);
      for (const int child : children_[std::size_t(node)]) {
        const bool is_near = favourites[std::size_t(node)] == child;
        const double travel = is_near ? 0 : passes_ * (link_.latency + double(from.out_bytes) / link_.bandwidth);
        begin[std::size_t(child)] = std::max(begin[std::size_t(child)], end + travel);
      }
    }
    return most;
  }

  /// The least longest way of all choices of one child each.
  double least() const {
    Favourites none(graph_.nodes.size(), kNoFavourite);
    return least_from(0, none);
  }

 private:
  double least_from(int node, Favourites& favourites) const {
    if (node == graph_.size()) return longest(favourites);
    double least = least_from(node + 1, favourites);
    for (const int child : children_[std::size_t(node)]) {
      if (std::find(favourites.begin(), favourites.end(), child) != favourites.end()) continue;
      favourites[std::size_t(node)] = child;
      least = std::min(least, least_from(node + 1, favourites));
      favourites[std::size_t(node)] = kNoFavourite;
    }
    return least;
  }

  const Graph& graph_;
  Lists children_;
  double passes_;
  Link link_;
};

/// Favourites are readers, and none is one of two nodes.
bool are_one_each(const Favourites& favourites, const Graph& graph) {
  const Lists children = children_of(graph);
  std::vector<int> taken;
  for (std::size_t node = 0; node < favourites.size(); ++node) {
    if (favourites[node] == kNoFavourite) continue;
    if (std::find(children[node].begin(), children[node].end(), favourites[node]) == children[node].end()) return false;
    taken.push_back(favourites[node]);
  }
  std::sort(taken.begin(), taken.end());
  return taken.size() >= 2 && std::adjacent_find(taken.begin(), taken.end()) == taken.end();
}

}  // namespace

TEST_CASE("favourite children shorten the longest way as far as one each can", "[placement][exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    Graph graph = random_graph(8, 0.35, seed);
    for (Node& node : graph.nodes) node.out_bytes *= 8;
    graph.edges.push_back(graph.edges.front());  // twice the same
    const Cluster cluster = some_devices(2);
    const bool trains = seed % 2 == 0;
    const Favourites found = favourite_children(graph, cluster, trains, *solver, {});
    const Choices choices(graph, trains ? 2 : 1, cluster.link);
    INFO("seed " << seed);
    REQUIRE(found.size() == 8);
    CHECK(are_one_each(found, graph));
    CHECK(choices.longest(found) == Approx(choices.least()).epsilon(1e-5));
    CHECK(found == favourite_children(graph, cluster, trains, *solver, {}));
  }
}

// The longest way is z, f: 12.5 s if f is the favourite of a, and 16 s, over a, if it is that of z or of none.
TEST_CASE("with favourites by CP-SAT a placement beats earliest task first", "[placement][exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  const Graph graph = waiting_graph();
  const Cluster cluster = waiting_cluster();
  CHECK(favourite_children(graph, cluster, false, *solver, {}) ==
        Favourites{2, kNoFavourite, kNoFavourite, kNoFavourite});
  const auto found = place({graph, cluster, false, {}, {"etf", "sct"}, 1, 1, {}, favourite_finder(*solver, 1)});
  CHECK(found[1].cost.seconds == 15);
  CHECK(found[2].cost.seconds == 12.5);
}

TEST_CASE("a search for favourite children that may not begin still answers", "[placement][exact]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  const Graph graph = random_graph(40, 0.1, 3);
  CHECK(are_one_each(favourite_children(graph, some_devices(2), true, *solver, {.effort = 0}), graph));
  const Graph free = graph_of("ab", {"ab"});
  Graph idle = free;
  for (Node& node : idle.nodes) node.forward = node.backward = 0;
  Cluster cluster = some_devices(2);
  cluster.link.latency = 0;
  CHECK(favourite_children(idle, cluster, true, *solver, {}).size() == 2);
}

}  // namespace dlrun::exact
