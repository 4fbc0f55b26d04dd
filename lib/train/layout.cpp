// SPDX-License-Identifier: Apache-2.0
#include "train/layout.hpp"

#include <algorithm>

#include "model/parameter_groups.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

std::vector<std::vector<model::TensorPattern>> patterns_of(const OptimizerConfig& config) {
  std::vector<std::vector<model::TensorPattern>> result;
  for (const GroupConfig& group : config.groups) {
    result.emplace_back();
    for (const std::string& text : group.match) result.back().emplace_back(text);
  }
  return result;
}

bool is_excluded(const model::TrainedTensor& tensor, const std::vector<std::string>& kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [&](const std::string& kind) {
    return kind == "bias" ? tensor.is_bias : kind == "norm" ? tensor.is_norm : tensor.is_embedding;
  });
}

/// Settings of a tensor that is trained, without its place.
Range settings_of(const OptimizerConfig& config, const model::TrainedTensor& tensor) {
  Range range;
  range.weight_decay = is_excluded(tensor, config.no_decay) ? 0 : config.weight_decay;
  range.rows = std::size_t(tensor.hidden_rows);
  if (tensor.group < 0) return range;
  const GroupConfig& group = config.groups[std::size_t(tensor.group)];
  range.lr = group.lr;
  range.weight_decay = group.weight_decay.value_or(range.weight_decay);
  return range;
}

}  // namespace

Layout make_layout(const OptimizerConfig& config, const model::Graph& graph, const nn::Parameters& parameters) {
  const std::vector<model::TrainedTensor> tensors = model::trained_tensors(graph, patterns_of(config));
  Layout layout{std::size_t(parameters.values().numel()), {}};
  for (const model::TrainedTensor& tensor : tensors) {
    if (tensor.group >= 0 && config.groups[std::size_t(tensor.group)].frozen) continue;
    const nn::Parameter* parameter = parameters.find(tensor.name);
    if (!parameter || !parameter->trainable) throw Error(ErrorKind::internal, "no tensor '" + tensor.name + "'");
    Range range = settings_of(config, tensor);
    range.begin = std::size_t(parameter->offset);
    range.end = range.begin + std::size_t(parameter->value.numel());
    layout.ranges.push_back(range);
  }
  std::sort(layout.ranges.begin(), layout.ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  if (layout.ranges.empty() && !tensors.empty()) {
    throw Error(ErrorKind::usage, "optimizer.groups: every tensor is frozen, nothing would be trained");
  }
  return layout;
}

}  // namespace dlrun::train
