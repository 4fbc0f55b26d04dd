// SPDX-License-Identifier: Apache-2.0
// A placement as a file.
#pragma once
#include <string>

#include "placement/portfolio.hpp"

namespace dlrun::cli {

/// JSON, format dlrun-placement-1: the device of each node by name, the predicted seconds, and how it was found.
std::string placement_text(const placement::Graph& graph, const placement::Cluster& cluster,
                           const placement::Found& found);

}  // namespace dlrun::cli
