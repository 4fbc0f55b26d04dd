// SPDX-License-Identifier: Apache-2.0
#include "ablation/effects.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/shape.hpp"

namespace dlrun::ablation {

namespace {

using model::Graph;

void compare(const char* what, std::int64_t before, std::int64_t after, double factor, std::vector<std::string>& out) {
  const double ratio = double(std::max<std::int64_t>(after, 1)) / double(std::max<std::int64_t>(before, 1));
  if (ratio <= factor && ratio >= 1 / factor) return;
  out.push_back(fmt::format("W301: {:.3g} times the {} ({} instead of {})", ratio, what, after, before));
}

/// Layers whose value is a linear function of what they read.
bool is_linear(const model::Node& node) {
  static const std::set<std::string> ops{"linear", "conv1d", "conv2d", "conv3d"};
  return ops.contains(node.op);
}

/// "a -> b" where b reads a and both are linear.
std::set<std::string> linear_pairs(const Graph& graph) {
  std::set<std::string> out;
  for (const model::Node& node : graph.nodes) {
    if (!is_linear(node)) continue;
    const model::Node* before = graph.find(node.inputs.at(0));
    while (before != nullptr && (before->op == "flatten" || before->op == "identity"))
      before = graph.find(before->inputs.at(0));
    if (before != nullptr && is_linear(*before)) out.insert(fmt::format("'{}' and '{}'", before->name, node.name));
  }
  return out;
}

/// Adds and concats that read one value twice, with the verb of what they do.
std::map<std::string, std::string> doubled(const Graph& graph) {
  static const std::map<std::string, std::string> kVerbs{
      {"add", "adds"}, {"concat", "joins"}, {"multiply", "multiplies"}};
  std::map<std::string, std::string> out;
  for (const model::Node& node : graph.nodes) {
    const std::set<std::string> inputs(node.inputs.begin(), node.inputs.end());
    const auto verb = kVerbs.find(node.op);
    if (verb != kVerbs.end() && inputs.size() < node.inputs.size()) out[node.name] = verb->second;
  }
  return out;
}

/// Shapes of tensors by full name.
std::map<std::string, model::Shape> tensors_of(const Graph& graph) {
  std::map<std::string, model::Shape> out;
  for (const model::Node& node : graph.nodes) {
    for (const model::Tensor& tensor : node.tensors) out[node.name + '.' + tensor.name] = tensor.shape;
  }
  return out;
}

}  // namespace

bool shares_tensors(const Graph& base, const Graph& variant) {
  const auto known = tensors_of(base), own = tensors_of(variant);
  return std::any_of(own.begin(), own.end(), [&](const auto& tensor) {
    const auto found = known.find(tensor.first);
    return found != known.end() && found->second == tensor.second;
  });
}

std::vector<std::string> changed_shapes(const Graph& base, const Graph& variant) {
  std::vector<std::string> out;
  for (const model::Node& node : variant.nodes) {
    const model::Node* before = base.find(node.name);
    if (before == nullptr || before->in.size() != node.in.size()) continue;
    for (std::size_t i = 0; i < node.in.size(); ++i) {
      if (node.in[i] == before->in[i]) continue;
      out.push_back(fmt::format("'{}' reads {} instead of {}", node.name, model::to_text(node.in[i]),
                                model::to_text(before->in[i])));
    }
  }
  return out;
}

std::vector<std::string> warnings_of(const Graph& base, const Graph& variant, double factor) {
  std::vector<std::string> out;
  compare("parameters", base.parameters(), variant.parameters(), factor, out);
  compare("operations", base.operations(), variant.operations(), factor, out);
  const std::set<std::string> before = linear_pairs(base);
  for (const std::string& pair : linear_pairs(variant)) {
    if (!before.contains(pair)) out.push_back(fmt::format("W302: {} are one linear map, nothing lies between", pair));
  }
  const std::map<std::string, std::string> known = doubled(base);
  for (const auto& [name, verb] : doubled(variant)) {
    if (!known.contains(name)) out.push_back(fmt::format("W303: '{}' {} one value and itself", name, verb));
  }
  return out;
}

}  // namespace dlrun::ablation
