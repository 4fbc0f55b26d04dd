// SPDX-License-Identifier: Apache-2.0
#include "placement/rule_learning.hpp"

#include <algorithm>
#include <limits>

#include "placement/orders.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::placement {

namespace {

double over_best(const OrderSteps& graph, const std::string& order) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& [name, seconds] : graph.seconds) best = std::min(best, seconds);
  return best > 0 ? graph.seconds.at(order) / best : 1;
}

std::string best_order(const std::vector<OrderSteps>& graphs) {
  std::string best;
  double lowest = std::numeric_limits<double>::infinity();
  for (const NamedOrder& order : named_orders()) {
    if (!graphs.front().seconds.contains(order.name)) continue;
    const double mean = mean_over_best(graphs, order.name);
    if (best.empty() || mean < lowest) best = order.name;
    lowest = std::min(lowest, mean);
  }
  return best;
}

/// @param parity  0: the first, third, …; 1: the others
std::vector<OrderSteps> every_second(const std::vector<OrderSteps>& graphs, std::size_t parity) {
  std::vector<OrderSteps> some;
  for (std::size_t i = parity; i < graphs.size(); i += 2) some.push_back(graphs[i]);
  return some;
}

LearnedRule learned(const GraphKind& kind, const std::vector<OrderSteps>& graphs) {
  LearnedRule out{{kind.name, best_order(graphs), "measured: user"}, int(graphs.size())};
  out.over_best = mean_over_best(graphs, out.rule.order);
  if (graphs.size() >= 2) out.held_out = mean_over_best(every_second(graphs, 1), best_order(every_second(graphs, 0)));
  const std::string& usual = rule_of(kind.name).order;
  if (graphs.front().seconds.contains(usual)) out.usual = mean_over_best(graphs, usual);
  return out;
}

}  // namespace

double mean_over_best(const std::vector<OrderSteps>& graphs, const std::string& order) {
  double sum = 0;
  for (const OrderSteps& graph : graphs) sum += arithmetic::log(over_best(graph, order));
  return arithmetic::exp(sum / double(graphs.size()));
}

std::vector<LearnedRule> learn_rules(const std::vector<OrderSteps>& graphs) {
  std::vector<LearnedRule> rules;
  for (const GraphKind& kind : graph_kinds()) {
    std::vector<OrderSteps> those;
    std::copy_if(graphs.begin(), graphs.end(), std::back_inserter(those),
                 [&](const OrderSteps& graph) { return graph.kind == kind.name; });
    if (!those.empty()) rules.push_back(learned(kind, those));
  }
  return rules;
}

std::string rules_text(const std::vector<LearnedRule>& rules) {
  Json list = Json::array();
  for (const LearnedRule& one : rules)
    list.push_back({{"kind", one.rule.kind},
                    {"order", one.rule.order},
                    {"evidence", one.rule.evidence},
                    {"graphs", one.graphs},
                    {"over_best", one.over_best},
                    {"held_out", one.held_out ? Json(*one.held_out) : Json()}});
  return to_text({{"format", "dlrun-rules-1"}, {"rules", list}}) + "\n";
}

}  // namespace dlrun::placement
