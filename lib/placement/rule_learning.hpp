// SPDX-License-Identifier: Apache-2.0
// Rules learned from many graphs: for each kind of graphs the order under which the greedy placer's steps are shortest.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "placement/rules.hpp"

namespace dlrun::placement {

/// One graph under the greedy placer.
struct OrderSteps {
  std::string kind;                       ///< name of a GraphKind
  std::map<std::string, double> seconds;  ///< step by order; infinity: it fits no memory. One at least is finite
};

struct LearnedRule {
  Rule rule;
  int graphs = 0;
  double over_best = 1;            ///< geometric mean of the step over that of each graph's best order
  std::optional<double> held_out;  ///< likewise on every second graph, of the order that is best on the others
  std::optional<double> usual;     ///< likewise, of the usual rule's order; nullopt: it was not tried
};

/// Geometric mean, over the graphs, of the order's step over the shortest of each graph.
/// REQUIRES: graphs are given, and each has the order
double mean_over_best(const std::vector<OrderSteps>& graphs, const std::string& order);

/// One rule for each kind of which there are graphs, with the evidence "measured: user". Of equally good orders the
/// first of named_orders().
std::vector<LearnedRule> learn_rules(const std::vector<OrderSteps>& graphs);

/// Text of a file for read_rules(), with the numbers.
std::string rules_text(const std::vector<LearnedRule>& rules);

}  // namespace dlrun::placement
