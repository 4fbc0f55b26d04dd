// SPDX-License-Identifier: Apache-2.0
// Layers of a model that write the same buffers, such as the running statistics of batch norms that share.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "model/graph.hpp"

namespace dlrun::model {

/// For each node the one before it (by their places in graph.nodes) that writes the same buffer, if there is one.
/// Such nodes compute one after another in this order, whatever else may be done at the same time.
std::vector<std::optional<std::size_t>> earlier_writers(const Graph& graph);

}  // namespace dlrun::model
