// SPDX-License-Identifier: Apache-2.0
#include "placement/graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <set>

#include "placement/orders.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

constexpr double kMicrosecond = 1e-6;
constexpr double kMostBytes = 1e15;  ///< a node may have, so that sums of thousands are whole numbers

[[noreturn]] void refuse(const std::string& message, const std::string& hint = {}) {
  throw Error(ErrorKind::usage, message, hint);
}

/// The cell of a row under a column; nullptr where there is none.
const Json* find_cell(const Json& row, const Json& columns, const char* column) {
  for (std::size_t i = 0; i < columns.size() && i < row.size(); ++i) {
    if (columns[i] == column) return &row[i];
  }
  return nullptr;
}

/// The cell of a row under a column that must be there.
const Json& cell(const Json& row, const Json& columns, const char* column, std::size_t number) {
  if (const Json* found = find_cell(row, columns, column)) return *found;
  refuse(fmt::format("nodes.{} has no '{}'", number, column), "node_columns names the cells of a row");
}

double amount(const Json& row, const Json& columns, const char* column, std::size_t number) {
  const Json& value = cell(row, columns, column, number);
  if (value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0) return value.get<double>();
  refuse(fmt::format("nodes.{}: '{}' must be a number of at least 0, not {}", number, column, to_text(value)));
}

std::int64_t bytes(const Json& row, const Json& columns, const char* column, std::size_t number) {
  const double value = amount(row, columns, column, number);
  if (value <= kMostBytes) return std::int64_t(value);
  refuse(fmt::format("nodes.{}: '{}' must be at most {:.0e}, not {}", number, column, kMostBytes, value));
}

std::string text(const Json& row, const Json& columns, const char* column, std::size_t number) {
  const Json& value = cell(row, columns, column, number);
  if (value.is_string()) return value.get<std::string>();
  refuse(fmt::format("nodes.{}: '{}' must be text, not {}", number, column, to_text(value)));
}

Node node_of(const Json& row, const Json& columns, std::size_t number) {
  if (!row.is_array()) refuse(fmt::format("nodes.{} must be a list of cells, not {}", number, to_text(row)));
  const auto number_of = [&](const char* column) { return amount(row, columns, column, number); };
  Node node{text(row, columns, "name", number), text(row, columns, "op", number)};
  const bool is_input = node.op.starts_with("Input");
  node.forward = is_input ? 0 : number_of("fwd_us") * kMicrosecond;
  node.backward = is_input ? 0 : number_of("bwd_us") * kMicrosecond;
  node.out_bytes = bytes(row, columns, "out_bytes", number);
  node.param_bytes = bytes(row, columns, "param_bytes", number);
  if (find_cell(row, columns, "group") != nullptr) node.group = text(row, columns, "group", number);
  return node;
}

Edge edge_of(const Json& json, int nodes, std::size_t number) {
  const auto is_row = [&](const Json& end) {
    return end.is_number_integer() && end.get<std::int64_t>() >= 0 && end.get<std::int64_t>() < nodes;
  };
  if (!json.is_array() || json.size() != 2 || !is_row(json[0]) || !is_row(json[1]))
    refuse(fmt::format("edges.{} must be two rows of nodes, 0 to {}, not {}", number, nodes - 1, to_text(json)));
  return {json[0].get<int>(), json[1].get<int>()};
}

const Json& list_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array())
    refuse(fmt::format("a graph needs the list '{}'", key), "the format is dlrun-graph-1, see docs/placement.md");
  return *found;
}

void require_names_apart(const Graph& graph) {
  std::set<std::string> known;
  for (const Node& node : graph.nodes) {
    if (!known.insert(node.name).second) refuse(fmt::format("two nodes have the name '{}'", node.name));
  }
}

/// Nodes of a cycle, in its direction; none where there is no cycle.
std::vector<std::string> cycle_of(const Graph& graph) {
  const Lists parents = parents_of(graph);
  std::vector<char> is_sorted(graph.nodes.size());
  for (const int node : kahn(graph)) is_sorted[std::size_t(node)] = 1;
  int at = 0;
  while (at < graph.size() && is_sorted[std::size_t(at)]) ++at;
  if (at == graph.size()) return {};
  std::vector<int> way, when(graph.nodes.size(), -1);
  while (when[std::size_t(at)] < 0) {  // a node that is not sorted has a parent that is not
    when[std::size_t(at)] = int(way.size());
    way.push_back(at);
    for (const int parent : parents[std::size_t(at)]) {
      if (!is_sorted[std::size_t(parent)]) at = parent;
    }
  }
  std::vector<std::string> names{graph.nodes[std::size_t(at)].name};
  for (std::size_t i = way.size(); i-- > std::size_t(when[std::size_t(at)]);)
    names.push_back(graph.nodes[std::size_t(way[i])].name);
  return names;
}

}  // namespace

Lists children_of(const Graph& graph) {
  Lists lists(graph.nodes.size());
  for (const auto& [from, to] : graph.edges) lists[std::size_t(from)].push_back(to);
  return lists;
}

Lists parents_of(const Graph& graph) {
  Lists lists(graph.nodes.size());
  for (const auto& [from, to] : graph.edges) lists[std::size_t(to)].push_back(from);
  return lists;
}

std::vector<int> leaders_of(const Graph& graph) {
  std::map<std::string, int> first;
  std::vector<int> leaders;
  for (int node = 0; node < graph.size(); ++node) {
    const std::string& group = graph.nodes[std::size_t(node)].group;
    leaders.push_back(group.empty() ? node : first.emplace(group, node).first->second);
  }
  return leaders;
}

Graph read_graph(const Json& json) {
  if (!json.is_object() || json.value("format", Json()) != "dlrun-graph-1")
    refuse("the file is no graph of the format dlrun-graph-1", "it has no `format: dlrun-graph-1`");
  Graph graph;
  const Json name = json.value("name", Json("graph"));
  if (!name.is_string()) refuse(fmt::format("the graph's 'name' must be text, not {}", to_text(name)));
  graph.name = name.get<std::string>();
  const Json& rows = list_of(json, "nodes");
  const Json& columns = list_of(json, "node_columns");
  for (std::size_t i = 0; i < rows.size(); ++i) graph.nodes.push_back(node_of(rows[i], columns, i));
  if (graph.nodes.empty()) refuse("the graph has no nodes");
  const Json& edges = list_of(json, "edges");
  for (std::size_t i = 0; i < edges.size(); ++i) graph.edges.push_back(edge_of(edges[i], graph.size(), i));
  require_names_apart(graph);
  if (const auto cycle = cycle_of(graph); !cycle.empty())
    refuse(fmt::format("the graph has a cycle: {}", fmt::join(cycle, " -> ")), "a step computes every node once");
  return graph;
}

}  // namespace dlrun::placement
