// SPDX-License-Identifier: Apache-2.0
// The structural hash. A node's hash covers its op, attributes, tensors and the hashes of its inputs, so neither the
// order of the list nor the name of a layer without weights matters; layers that change nothing are looked through.
// Part of the format: golden values in tests/unit/model guard it.
#include <algorithm>
#include <map>

#include "model/graph.hpp"
#include "model/layer.hpp"
#include "util/sha256.hpp"

namespace dlrun::model {

namespace {

Json describe_tensors(const Node& node) {
  Json tensors = Json::array();
  for (const Tensor& tensor : node.tensors)
    tensors.push_back({node.name + '.' + tensor.name, tensor.shape, tensor.trainable});
  for (const SharedTensor& tensor : node.shared) tensors.push_back({tensor.name, tensor.of});
  return tensors;
}

std::string hash_of(const Node& node, const LayerRule* rule, const std::map<std::string, std::string>& known) {
  std::vector<std::string> inputs;
  for (const std::string& input : node.inputs) inputs.push_back(known.at(input));
  // Two summands or factors may change places without changing a bit; of three, rounding differs.
  if (inputs.size() == 2 && rule != nullptr && rule->is_commutative) std::sort(inputs.begin(), inputs.end());
  const std::string draws_as = rule != nullptr && rule->is_random ? node.name : "";
  return Sha256::hex_of(to_text(Json{node.op, node.attributes, node.out, describe_tensors(node), draws_as, inputs}));
}

}  // namespace

std::string structural_hash(const Graph& graph) {
  std::map<std::string, std::string> known{{"", ""}};
  for (const auto& [name, input] : graph.interface.inputs) {
    Json described{"input", name, input.shape};
    if (input.vocabulary > 0) described.push_back(input.vocabulary);
    known[name] = Sha256::hex_of(to_text(described));
  }
  for (const Node& node : graph.nodes) {
    const LayerRule* rule = find_rule(node.op);
    const bool is_identity = rule != nullptr && rule->is_identity != nullptr && rule->is_identity(node);
    known[node.name] = is_identity ? known.at(node.inputs[0]) : hash_of(node, rule, known);
  }
  if (graph.outputs.size() == 1 && graph.outputs.front().name.empty()) return known.at(graph.outputs.front().node);
  Json outputs = Json::array();
  for (const Output& output : graph.outputs) {
    outputs.push_back({output.name, known.at(output.node), output.is_auxiliary});
  }
  return Sha256::hex_of(to_text(outputs));
}

}  // namespace dlrun::model
