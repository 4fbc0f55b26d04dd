// SPDX-License-Identifier: Apache-2.0
// Layers whose code is a plugin's.
#pragma once
#include <memory>

#include "nn/layer.hpp"

namespace dlrun::nn {

/// Layer of a plugin; null where no plugin has the node's op.
/// @throws Error(usage), naming the plugin, where it cannot be opened or its constructor throws
std::unique_ptr<Layer> make_plugin_layer(const Scope& scope);

}  // namespace dlrun::nn
