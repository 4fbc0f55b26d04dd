// SPDX-License-Identifier: Apache-2.0
// A traversal order for a graph, by numbers about it. The rules are dlrun's own or learned by `dlrun place bench`; none
// is from a paper.
#pragma once
#include <string>
#include <vector>

#include "placement/features.hpp"
#include "util/json.hpp"

namespace dlrun::placement {

/// Graphs that look alike.
struct GraphKind {
  const char* name;
  const char* text;  ///< for a person: "cells of a convolutional net"
  bool (*has)(const Features& features);
};

/// A graph is of the first kind that has it; the last one has every graph.
const std::vector<GraphKind>& graph_kinds();
const GraphKind& kind_of(const Features& features);
/// @throws Error(usage) with the nearest known name
const GraphKind& kind_named(const std::string& name);

struct Rule {
  std::string kind;  ///< name of a GraphKind
  std::string order;
  std::string evidence;  ///< "measured: surrogate" or "measured: user"
};

/// One for each kind, in their order.
using Rules = std::vector<Rule>;

const Rules& usual_rules();
/// @param kind  name of a GraphKind
const Rule& rule_of(const std::string& kind, const Rules& rules = usual_rules());
const Rule& rule_for(const Features& features, const Rules& rules = usual_rules());

/// "order dfs-pre: looks like …: parallelism 2.6, … (measured: surrogate)".
std::string reason_of(const Rule& rule, const Features& features);

/// Rules of a file of the format dlrun-rules-1, for kinds that it lacks the usual ones.
/// @throws Error(usage) for another file, a kind or an order that is not known, or two rules for a kind
Rules read_rules(const Json& json);

}  // namespace dlrun::placement
