// SPDX-License-Identifier: Apache-2.0
#include "train/statistics.hpp"

#include <algorithm>

namespace dlrun::train {

namespace {

bool is_batch_norm(const model::Node& node) { return node.op == "batchnorm"; }

void fill(const nn::Parameters& parameters, const std::string& name, double value) {
  if (const nn::Parameter* found = parameters.find(name)) found->value.fill_(value);
}

}  // namespace

bool has_batch_norm(const model::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), is_batch_norm);
}

void reset_statistics(const model::Graph& graph, const nn::Parameters& parameters) {
  for (const model::Node& node : graph.nodes) {
    if (!is_batch_norm(node)) continue;
    fill(parameters, node.name + ".running_mean", 0);
    fill(parameters, node.name + ".running_var", 1);
    fill(parameters, node.name + ".num_batches_tracked", 0);
  }
}

void add_statistics(nn::GraphModule& module, const data::Examples& batch, std::int64_t number) {
  module.forward(batch.inputs, {.training = true, .step = number, .counts_statistics = true});
}

}  // namespace dlrun::train
