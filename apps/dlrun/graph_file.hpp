// SPDX-License-Identifier: Apache-2.0
// Files of graphs of layers.
#pragma once
#include <string>

#include "placement/graph.hpp"

namespace dlrun::cli {

/// @param file  named in errors    @throws Error(usage) for JSON that is no graph
placement::Graph graph_of(const Json& json, const std::string& file);

}  // namespace dlrun::cli
