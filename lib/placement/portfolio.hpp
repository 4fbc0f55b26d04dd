// SPDX-License-Identifier: Apache-2.0
// Placers by name, and all of them on one graph.
#pragma once
#include "placement/bounds.hpp"
#include "placement/evaluator.hpp"
#include "placement/exact.hpp"
#include "placement/orders.hpp"
#include "placement/rules.hpp"
#include "placement/small_communication.hpp"

namespace dlrun::placement {

struct NamedPlacer {
  const char* name;
  const char* text;           ///< half a line for the help
  bool follows_order;         ///< decides along a traversal order
  bool is_usual;              ///< asked for where nothing is said
  bool needs_solver = false;  ///< for every graph, so that the command line alone has it
  bool cuts_order = false;    ///< into pieces, as it stands: a topological one suits it
  bool searches = false;      ///< tries placements, as many as it may
};

/// All placers, in the order of the help.
const std::vector<NamedPlacer>& named_placers();

/// @throws Error(usage) with the nearest known name
const NamedPlacer& placer_named(const std::string& name);

struct Found;
/// Is told what begins ("greedy along topo"), and the best that is found so far.
using Watcher = std::function<void(const std::string& what, const Found& best)>;

struct Request {
  const Graph& graph;
  const Cluster& cluster;
  bool trains = true;
  std::vector<std::string> orders;   ///< for placers that follow one
  std::vector<std::string> placers;  ///< asked for, see named_placers(); `single` is always among them
  std::int64_t evaluations = 0;      ///< placements that each placer tries at most, on each order
  std::uint64_t seed = 0;
  Prover prover = {};               ///< for `exact`; empty: it places small graphs alone
  FavouriteFinder favourites = {};  ///< for `sct`, which needs it
  Watcher watch = {};
  Rules rules = usual_rules();  ///< for `auto`
};

/// The answer of one placer.
struct Found {
  std::string placer;
  std::string order;  ///< empty: it follows none
  Placement placement;
  Cost cost;
  std::int64_t evaluations = 0;
  Proof proof = {};  ///< as far as the placer proves anything
  Turns turns = {};  ///< taken by devices and links

  /// "greedy along topo"
  std::string text() const { return order.empty() ? placer : placer + " along " + order; }
};

/// A step of what was found, as its turns have it.
Outcome played(const Found& found, const Step& step, const Cluster& cluster);

/// One entry for each placer, and for each order where it follows one. `anneal` and `exact` begin with the best that is
/// found before them. The same on every machine.
/// @throws Error(usage) where `exact` or `sct` is asked for and cannot do without what the request has not
std::vector<Found> place(const Request& request);

/// The entry with the lowest cost, the first of equal ones.
const Found& best_of(const std::vector<Found>& found);

}  // namespace dlrun::placement
