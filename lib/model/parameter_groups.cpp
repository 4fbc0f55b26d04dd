// SPDX-License-Identifier: Apache-2.0
#include "model/parameter_groups.hpp"

#include <algorithm>
#include <set>

namespace dlrun::model {

namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

int group_of(const std::string& name, const std::vector<std::vector<TensorPattern>>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto names = [&](const TensorPattern& pattern) { return pattern.names(name); };
    if (std::any_of(groups[i].begin(), groups[i].end(), names)) return int(i);
  }
  return -1;
}

/// Tensor described by its layer's kind, or where a kind holds several layers, by the part's name ("norm1.weight").
TrainedTensor describe(const Node& node, const Tensor& tensor) {
  const std::size_t dot = tensor.name.rfind('.');
  const std::string last = dot == std::string::npos ? tensor.name : tensor.name.substr(dot + 1);
  const std::string part = dot == std::string::npos ? std::string() : tensor.name.substr(0, dot);
  TrainedTensor trained;
  trained.name = node.name + "." + tensor.name;
  trained.is_bias = contains(last, "bias");
  trained.is_norm = contains(node.op, "norm") || contains(part, "norm");
  trained.is_embedding = contains(node.op, "embedding") || contains(node.op, "position") || contains(part, "embedding");
  return trained;
}

bool is_matrix(const TrainedTensor& trained, const Shape& shape) {
  return shape.size() >= 2 && !trained.is_bias && !trained.is_norm;
}

/// Whether a layer multiplies by a matrix, its own or another's; an embedding does.
bool has_matrix(const Node& node) {
  const auto is_one = [&](const Tensor& tensor) {
    return tensor.trainable && is_matrix(describe(node, tensor), tensor.shape);
  };
  return !node.shared.empty() || std::any_of(node.tensors.begin(), node.tensors.end(), is_one);
}

/// Layers with a matrix that no other such layer precedes on some path from an input.
std::set<std::string> first_layers(const Graph& graph) {
  std::set<std::string> reached, first;
  for (const auto& [name, input] : graph.interface.inputs) reached.insert(name);
  for (const Node& node : graph.nodes) {
    const auto is_reached = [&](const std::string& name) { return reached.contains(name); };
    if (std::none_of(node.inputs.begin(), node.inputs.end(), is_reached)) continue;
    (has_matrix(node) ? first : reached).insert(node.name);
  }
  return first;
}

/// Layers with a matrix that no other such layer follows on some path to an output.
std::set<std::string> last_layers(const Graph& graph) {
  std::set<std::string> reached, last;
  for (const Output& output : graph.outputs) reached.insert(output.node);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (!reached.contains(node->name)) continue;
    if (has_matrix(*node)) {
      last.insert(node->name);
    } else {
      reached.insert(node->inputs.begin(), node->inputs.end());
    }
  }
  return last;
}

}  // namespace

TensorPattern::TensorPattern(const std::string& text) {
  constexpr std::size_t kLongest = 200;
  if (text.empty() || text.size() > kLongest) {
    throw Error(ErrorKind::usage, "a pattern has 1 to " + std::to_string(kLongest) + " characters");
  }
  try {
    regex_ = std::regex(text, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& fault) {
    throw Error(ErrorKind::usage, "'" + text + "' is no regular expression: " + fault.what());
  }
}

bool TensorPattern::names(const std::string& tensor) const {
  for (std::size_t end = tensor.find('.');; end = tensor.find('.', end + 1)) {
    const bool is_whole = end == std::string::npos;
    if (std::regex_match(tensor.begin(), is_whole ? tensor.end() : tensor.begin() + std::ptrdiff_t(end), regex_)) {
      return true;
    }
    if (is_whole) return false;
  }
}

std::vector<TrainedTensor> trained_tensors(const Graph& graph, const std::vector<std::vector<TensorPattern>>& groups) {
  std::vector<TrainedTensor> result;
  std::set<std::string> seen;
  std::set<std::string> outer = first_layers(graph);
  outer.merge(last_layers(graph));
  for (const Node& node : graph.nodes) {
    for (const Tensor& tensor : node.tensors) {
      if (!tensor.trainable || !seen.insert(node.name + "." + tensor.name).second) continue;
      TrainedTensor trained = describe(node, tensor);
      trained.group = group_of(trained.name, groups);
      const bool is_hidden = !outer.contains(node.name) && !trained.is_embedding && is_matrix(trained, tensor.shape);
      if (is_hidden) trained.hidden_rows = tensor.shape.front();
      result.push_back(std::move(trained));
    }
  }
  return result;
}

}  // namespace dlrun::model
