// SPDX-License-Identifier: Apache-2.0
#include "layer_graph.hpp"

#include <fmt/format.h>

#include "ablation/baseline.hpp"
#include "model/declared.hpp"
#include "model/placement_graph.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

constexpr double kMicroseconds = 1e6;

void refuse_sharing(const model::Graph& model) {
  for (const model::Node& node : model.nodes) {
    if (!node.shared.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("'{}' shares weights with another node, and cannot be placed", node.name),
                  "nodes that share weights would have to stay together, which no placer knows yet");
  }
}

}  // namespace

placement::Graph layer_graph(const spec::StudySpec& spec, const trial::ModelProfile& profile) {
  const model::Graph model = model::build(ablation::declared_model(spec.json).value());
  refuse_sharing(model);
  model::SecondsByLayer seconds;
  for (const trial::LayerProfile& layer : profile.layers) seconds[layer.name] = {layer.forward, layer.backward};
  return model::placement_graph(model, spec.name, profile.batch, seconds);
}

std::string graph_text(const placement::Graph& graph) {
  Json json = {{"format", "dlrun-graph-1"},
               {"name", graph.name},
               {"node_columns", {"name", "op", "fwd_us", "bwd_us", "out_bytes", "param_bytes"}},
               {"nodes", Json::array()},
               {"edges", Json::array()}};
  for (const placement::Node& node : graph.nodes)
    json["nodes"].push_back({node.name, node.op, node.forward * kMicroseconds, node.backward * kMicroseconds,
                             node.out_bytes, node.param_bytes});
  for (const auto& [from, to] : graph.edges) json["edges"].push_back({from, to});
  return json.dump() + "\n";
}

}  // namespace dlrun::cli
