// SPDX-License-Identifier: Apache-2.0
#include "placement/rules.hpp"

#include <limits>

#include "placement/rule_learning.hpp"
#include "support/catch.hpp"

namespace dlrun::placement {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

Json rules_json(const Json& rules) { return {{"format", "dlrun-rules-1"}, {"rules", rules}}; }

}  // namespace

// Over the best order of each graph: topo 1, 2, 1, bfs 3, 1, 1: means 2^(1/3) and 3^(1/3).
TEST_CASE("the order with the lowest geometric mean is learned for each kind of graphs", "[placement][rules]") {
  const std::vector<OrderSteps> graphs{{"hub", {{"topo", 2}, {"bfs", 6}}},
                                       {"cells", {{"topo", 4}, {"bfs", 3}}},
                                       {"hub", {{"topo", 8}, {"bfs", 4}}},
                                       {"hub", {{"topo", 5}, {"bfs", 5}}}};
  const auto rules = learn_rules(graphs);
  REQUIRE(rules.size() == 2);
  CHECK(rules[0].rule.kind == "cells");
  CHECK(rules[0].rule.order == "bfs");
  CHECK(rules[0].over_best == Approx(1));
  CHECK_FALSE(rules[0].held_out);
  CHECK(rules[1].rule.order == "topo");
  CHECK(rules[1].rule.evidence == "measured: user");
  CHECK(rules[1].graphs == 3);
  CHECK(rules[1].over_best == Approx(1.259921));
  CHECK(rules[1].usual == Approx(1.259921));  // topo
  CHECK_FALSE(rules[0].usual);                // alpha, which was not tried
  CHECK(rules[1].held_out == Approx(2));      // topo is best on the first and third, and twice the best on the second
}

TEST_CASE("an order that fits no memory is not learned", "[placement][rules]") {
  const auto rules = learn_rules({{"other", {{"topo", kNever}, {"bfs", 9}}}, {"other", {{"topo", 1}, {"bfs", 9}}}});
  CHECK(rules.at(0).rule.order == "bfs");
  CHECK(rules[0].over_best == Approx(3));
}

TEST_CASE("learned rules are read again, beside the usual ones of other kinds", "[placement][rules]") {
  const auto learned = learn_rules({{"hub", {{"topo", 2}, {"blevel", 1}}}});
  const Rules rules = read_rules(parse_json(rules_text(learned), "the file"));
  REQUIRE(rules.size() == usual_rules().size());
  const Features hub{300, 2, 30, 1.5, 0.5, 0.2, 0.5}, cells{300, 1, 5, 2.5, 3.5, 0.2, 0.4};
  CHECK(rule_for(hub, rules).order == "blevel");
  CHECK(rule_for(hub, rules).evidence == "measured: user");
  CHECK(rule_for(cells, rules).order == rule_for(cells).order);
  CHECK(rule_for(cells, rules).evidence == "measured: surrogate");
}

TEST_CASE("a file that has no rules is refused", "[placement][rules]") {
  const auto refused = [](const Json& json, const std::string& message) {
    CHECK_THROWS_WITH(read_rules(json), Contains(message));
  };
  refused(Json::array(), "no rules of the format dlrun-rules-1");
  refused({{"format", "dlrun-graph-1"}, {"rules", Json::array()}}, "no rules of the format dlrun-rules-1");
  refused(rules_json({{{"kind", "hub"}, {"evidence", "mine"}}}), "a rule has no text 'order'");
  refused(rules_json({{{"kind", "hubs"}, {"order", "topo"}, {"evidence", "mine"}}}), "no kind of graphs 'hubs'");
  refused(rules_json({{{"kind", "hub"}, {"order", "topos"}, {"evidence", "mine"}}}), "no traversal order 'topos'");
  const Json hub{{"kind", "hub"}, {"order", "topo"}, {"evidence", "mine"}};
  refused(rules_json({hub, hub}), "two rules for graphs of the kind 'hub'");
}

}  // namespace dlrun::placement
