// SPDX-License-Identifier: Apache-2.0
#include "layer_graph.hpp"

#include <fmt/format.h>

#include <map>

#include "ablation/baseline.hpp"
#include "model/declared.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr double kMicroseconds = 1e6;

std::int64_t bytes_of(const model::Shape& shape, std::int64_t batch) {
  std::int64_t numbers = batch;
  for (const std::int64_t size : shape) numbers *= size;
  return numbers * kFloatBytes;
}

class LayerGraph {
 public:
  LayerGraph(const model::Graph& model, const trial::ModelProfile& profile) : model_(model), profile_(profile) {
    for (const trial::LayerProfile& layer : profile.layers) costs_.emplace(layer.name, &layer);
  }

  placement::Graph read(const std::string& name) {
    graph_.name = name;
    for (const auto& [input, what] : model_.interface.inputs)
      add({input, "Input", 0, 0, bytes_of(what.shape, profile_.batch), 0}, {});
    for (const model::Node& node : model_.nodes) add(node_of(node), node.inputs);
    return std::move(graph_);
  }

 private:
  placement::Node node_of(const model::Node& node) const {
    if (!node.shared.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("'{}' shares weights with another node, and cannot be placed", node.name),
                  "nodes that share weights would have to stay together, which no placer knows yet");
    placement::Node out{node.name, node.op, 0, 0, bytes_of(node.out, profile_.batch), 0};
    const auto found = costs_.find(node.name);
    if (found == costs_.end()) return out;  // costs nothing that could be measured
    out.forward = found->second->forward;
    out.backward = found->second->backward;
    out.param_bytes = found->second->parameters * kFloatBytes;
    return out;
  }

  void add(placement::Node node, const std::vector<std::string>& inputs) {
    const int number = graph_.size();
    for (const std::string& input : inputs) graph_.edges.emplace_back(number_.at(input), number);
    number_.emplace(node.name, number);
    graph_.nodes.push_back(std::move(node));
  }

  const model::Graph& model_;
  const trial::ModelProfile& profile_;
  std::map<std::string, const trial::LayerProfile*> costs_;
  std::map<std::string, int> number_;
  placement::Graph graph_;
};

}  // namespace

placement::Graph layer_graph(const spec::StudySpec& spec, const trial::ModelProfile& profile) {
  const model::Graph model = model::build(ablation::declared_model(spec.json).value());
  return LayerGraph(model, profile).read(spec.name);
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
