// SPDX-License-Identifier: Apache-2.0
#include "placement/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "placement/named.hpp"
#include "placement/orders.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

bool looks_like_cells(const Features& f) { return f.sources == 1 && f.transfer_share >= 1 && f.widest_fan_out <= 8; }

bool looks_recurrent(const Features& f) { return f.parallelism < 2 && f.widest_fan_out > 8 && f.transfer_share >= 0.2; }

bool looks_like_attention(const Features& f) {
  return f.parallelism >= 2 && f.transfer_share < 0.3 && f.skip_share >= 0.3;
}

bool is_anything(const Features&) { return true; }

/// Orders that were best under the greedy placer on 16 graphs of each family, and for the last on all 48
/// (tests/bench/placement/rules.py).
Rules surrogate_rules() {
  Rules rules;
  for (const auto& [kind, order] : {std::pair("cells", "alpha"), std::pair("hub", "topo"),
                                    std::pair("attention", "reversed-topo"), std::pair("other", "lexico-topo")})
    rules.push_back({kind, order, "measured: surrogate"});
  return rules;
}

/// @throws Error(usage) for a member that is missing or no text.
std::string text_of(const Json& rule, const char* key) {
  const auto found = rule.is_object() ? rule.find(key) : rule.end();
  if (found == rule.end() || !found->is_string())
    throw Error(ErrorKind::usage, fmt::format("a rule has no text '{}'", key));
  return found->get<std::string>();
}

Rule read_rule(const Json& json) {
  return {kind_named(text_of(json, "kind")).name, order_named(text_of(json, "order")).name, text_of(json, "evidence")};
}

}  // namespace

const std::vector<GraphKind>& graph_kinds() {
  static const std::vector<GraphKind> all = {
      {"cells", "cells of a convolutional net", looks_like_cells},
      {"hub", "a recurrent net with a hub", looks_recurrent},
      {"attention", "encoder and decoder with attention", looks_like_attention},
      {"other", "none of the known families", is_anything},
  };
  return all;
}

const GraphKind& kind_named(const std::string& name) { return named(graph_kinds(), name, "kind of graphs"); }

const GraphKind& kind_of(const Features& features) {
  return *std::find_if(graph_kinds().begin(), graph_kinds().end(),
                       [&](const GraphKind& kind) { return kind.has(features); });
}

const Rules& usual_rules() {
  static const Rules rules = surrogate_rules();
  return rules;
}

const Rule& rule_of(const std::string& kind, const Rules& rules) {
  return *std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.kind == kind; });
}

const Rule& rule_for(const Features& features, const Rules& rules) { return rule_of(kind_of(features).name, rules); }

std::string reason_of(const Rule& rule, const Features& f) {
  return fmt::format("order {}: looks like {} (parallelism {:.1f}, transfers {:.2f} of the work, {:.0f} % skips; {})",
                     rule.order, kind_named(rule.kind).text, f.parallelism, f.transfer_share, 100 * f.skip_share,
                     rule.evidence);
}

Rules read_rules(const Json& json) {
  const auto list = json.is_object() ? json.find("rules") : json.end();
  if (list == json.end() || !list->is_array() || json.value("format", Json()) != "dlrun-rules-1")
    throw Error(ErrorKind::usage, "the file has no rules of the format dlrun-rules-1",
                "dlrun place bench GRAPH.json... --learn-rules FILE writes one");
  Rules rules = usual_rules();
  std::set<std::string> seen;
  for (const Json& one : *list) {
    const Rule rule = read_rule(one);
    if (!seen.insert(rule.kind).second)
      throw Error(ErrorKind::usage, fmt::format("there are two rules for graphs of the kind '{}'", rule.kind));
    std::replace_if(
        rules.begin(), rules.end(), [&](const Rule& usual) { return usual.kind == rule.kind; }, rule);
  }
  return rules;
}

}  // namespace dlrun::placement
