// SPDX-License-Identifier: Apache-2.0
#include "model/placement_graph.hpp"

#include "support/catch.hpp"

namespace placement_graph_test {

using namespace dlrun;

namespace {

/// The groups of a model's layers, by name.
std::map<std::string, std::string> groups_of(const Json& nodes) {
  const model::Graph model = model::build({{"nodes", nodes}}, {{{"x", {6}}}, 6, 1});
  std::map<std::string, std::string> groups;
  for (const placement::Node& node : model::placement_graph(model, "m", 8, {}).nodes) groups[node.name] = node.group;
  return groups;
}

Json linear(const std::string& name, const std::string& owner = "") {
  Json node = {{"name", name}, {"op", "linear"}, {"out", 6}};
  if (!owner.empty()) node["share"] = owner;
  return node;
}

}  // namespace

TEST_CASE("layers that share weights are a group by the first one's name", "[model][placement]") {
  const auto groups =
      groups_of({linear("a"), linear("b"), linear("c", "a"), linear("d"), linear("e", "a"), linear("f", "b")});
  CHECK(groups.at("a") == "a");
  CHECK(groups.at("c") == "a");
  CHECK(groups.at("e") == "a");
  CHECK(groups.at("b") == "b");
  CHECK(groups.at("f") == "b");
  CHECK(groups.at("d").empty());
}

// Batch norms that shared their statistics in two branches could compute in another order than on one device.
TEST_CASE("layers that write the same buffers have an edge, unless one waits for the other already",
          "[model][placement]") {
  const auto norm = [](const std::string& name, const std::string& from, const std::string& owner) {
    Json node = {{"name", name}, {"op", "batchnorm"}, {"from", from}};
    if (!owner.empty()) node["share"] = owner;
    return node;
  };
  const Json nodes = {linear("a"),
                      norm("n", "a", ""),
                      linear("b"),
                      norm("after", "b", "n"),
                      norm("beside", "a", "n"),
                      {{"name", "sum"}, {"op", "add"}, {"from", {"after", "beside"}}}};
  const model::Graph model = model::build({{"nodes", nodes}}, {{{"x", {6}}}, 6, 1});
  const auto edges = model::placement_graph(model, "m", 8, {}).edges;  // of x, a, n, b, after, beside and sum
  CHECK(edges == std::vector<placement::Edge>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 5}, {4, 6}, {5, 6}, {4, 5}});
}

}  // namespace placement_graph_test
