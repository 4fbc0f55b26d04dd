// SPDX-License-Identifier: Apache-2.0
// Running statistics of batch norms for weights that never saw a batch (torch.optim.swa_utils.update_bn).
#pragma once
#include "data/batches.hpp"
#include "model/graph.hpp"
#include "nn/graph_module.hpp"

namespace dlrun::train {

bool has_batch_norm(const model::Graph& graph);

/// As new: mean 0, variance 1, no batches.
void reset_statistics(const model::Graph& graph, const nn::Parameters& parameters);

/// One batch more in the mean of means and variances over batches.
/// @param number  of the pass, for dropout, which is on as in training
void add_statistics(nn::GraphModule& module, const data::Examples& batch, std::int64_t number);

}  // namespace dlrun::train
