// SPDX-License-Identifier: Apache-2.0
#include "layer_graph.hpp"

#include <algorithm>

#include "ablation/baseline.hpp"
#include "model/declared.hpp"
#include "model/placement_graph.hpp"

namespace dlrun::cli {

namespace {

constexpr double kMicroseconds = 1e6;

}  // namespace

placement::Graph layer_graph(const spec::StudySpec& spec, const trial::ModelProfile& profile) {
  const model::Graph model = model::build(ablation::declared_model(spec.json).value());
  model::SecondsByLayer seconds;
  for (const trial::LayerProfile& layer : profile.layers) seconds[layer.name] = {layer.forward, layer.backward};
  return model::placement_graph(model, spec.name, profile.batch, seconds);
}

std::string graph_text(const placement::Graph& graph) {
  const auto& nodes = graph.nodes;
  const bool has_groups =
      std::any_of(nodes.begin(), nodes.end(), [](const placement::Node& node) { return !node.group.empty(); });
  Json json = {{"format", "dlrun-graph-1"},
               {"name", graph.name},
               {"node_columns", {"name", "op", "fwd_us", "bwd_us", "out_bytes", "param_bytes"}},
               {"nodes", Json::array()},
               {"edges", Json::array()}};
  for (const placement::Node& node : nodes)
    json["nodes"].push_back({node.name, node.op, node.forward * kMicroseconds, node.backward * kMicroseconds,
                             node.out_bytes, node.param_bytes});
  if (has_groups) json["node_columns"].push_back("group");
  for (std::size_t i = 0; has_groups && i < nodes.size(); ++i) json["nodes"][i].push_back(nodes[i].group);
  for (const auto& [from, to] : graph.edges) json["edges"].push_back({from, to});
  return json.dump() + "\n";
}

}  // namespace dlrun::cli
