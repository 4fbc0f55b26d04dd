// SPDX-License-Identifier: Apache-2.0
#include "placement/graph.hpp"

#include "support/catch.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

Json graph_json() {
  return parse_json(R"({"format": "dlrun-graph-1", "name": "small",
    "node_columns": ["name", "op", "fwd_us", "bwd_us", "out_bytes", "param_bytes"],
    "nodes": [["in", "Input0", 500, 0, 64, 0], ["fc", "linear", 10, 20, 32, 4096], ["out", "linear", 1, 2, 4, 0]],
    "edges": [[0, 1], [1, 2]]})",
                    "graph");
}

std::string fault_of(const Json& json) {
  try {
    (void)read_graph(json);
    return {};
  } catch (const Error& fault) {
    return fault.what();
  }
}

}  // namespace

TEST_CASE("a graph is read from its rows, and inputs cost nothing", "[placement][graph]") {
  const Graph graph = read_graph(graph_json());
  REQUIRE(graph.size() == 3);
  CHECK(graph.nodes[0].forward == 0);
  CHECK(graph.nodes[1].forward == Approx(10e-6));
  CHECK(graph.nodes[1].backward == Approx(20e-6));
  CHECK(graph.nodes[1].out_bytes == 32);
  CHECK(graph.nodes[1].param_bytes == 4096);
  CHECK(graph.edges == std::vector<Edge>{{0, 1}, {1, 2}});
}

TEST_CASE("nodes of one group have its first node as their leader", "[placement][graph][groups]") {
  Json json = graph_json();
  json["node_columns"].push_back("group");
  for (Json& row : json["nodes"]) row.push_back(row[0] == "fc" ? "" : "tied");
  const Graph graph = read_graph(json);
  CHECK(graph.nodes[0].group == "tied");
  CHECK(leaders_of(graph) == std::vector<int>{0, 1, 0});
  json["nodes"][1].back() = 3;
  CHECK(fault_of(json) == "nodes.1: 'group' must be text, not 3");
}

TEST_CASE("a graph that cannot be placed is refused with its row", "[placement][graph]") {
  const auto with = [](const char* pointer, Json value) {
    Json json = graph_json();
    json[Json::json_pointer(pointer)] = std::move(value);
    return fault_of(json);
  };
  CHECK(with("/format", "other") == "the file is no graph of the format dlrun-graph-1");
  CHECK(with("/format", 5) == "the file is no graph of the format dlrun-graph-1");
  CHECK(with("/name", 5) == "the graph's 'name' must be text, not 5");
  CHECK(with("/nodes/1/4", 1e19) == "nodes.1: 'out_bytes' must be at most 1e+15, not 1e+19");
  CHECK(with("/nodes", Json::array()) == "the graph has no nodes");
  CHECK(with("/nodes", 3) == "a graph needs the list 'nodes'");
  CHECK(with("/nodes/1/2", -1) == "nodes.1: 'fwd_us' must be a number of at least 0, not -1");
  CHECK(with("/nodes/1/0", 7) == "nodes.1: 'name' must be text, not 7");
  CHECK(with("/nodes/1", Json{"fc", "linear"}) == "nodes.1 has no 'fwd_us'");
  CHECK(with("/nodes/2/0", "fc") == "two nodes have the name 'fc'");
  CHECK(with("/edges/1", Json{1, 3}) == "edges.1 must be two rows of nodes, 0 to 2, not [1,3]");
  CHECK(with("/edges", Json{{0, 1}, {1, 2}, {2, 1}}) == "the graph has a cycle: fc -> out -> fc");
  CHECK(with("/edges", Json{{0, 1}, {1, 1}}) == "the graph has a cycle: fc -> fc");
}

}  // namespace dlrun::placement
