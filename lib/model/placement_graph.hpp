// SPDX-License-Identifier: Apache-2.0
// A model as placers see it.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "model/graph.hpp"
#include "placement/graph.hpp"

namespace dlrun::model {

/// Cost of a layer for a whole batch.
struct LayerSeconds {
  double forward = 0, backward = 0;
};

using SecondsByLayer = std::map<std::string, LayerSeconds>;

/// A rough estimate for one core, from multiply-adds and sizes: 20e9 operations and 5e9 bytes a second, and 2
/// microseconds for each layer; backward twice that where there are weights. Only their proportions matter much.
SecondsByLayer estimated_seconds(const Graph& model, std::int64_t batch);

/// A node without cost for each input of the model, then its layers. Bytes are those of float32. A layer without
/// seconds costs nothing. Layers that share weights are a group; of those that write the same buffers each waits for
/// the one before it.
placement::Graph placement_graph(const Graph& model, const std::string& name, std::int64_t batch,
                                 const SecondsByLayer& seconds);

}  // namespace dlrun::model
