// SPDX-License-Identifier: Apache-2.0
// A placed graph in Graphviz's language.
#pragma once
#include <string>

#include "placement/graph.hpp"
#include "placement/simulator.hpp"

namespace dlrun::cli {

inline constexpr int kMostDrawnNodes = 1500;

/// Nodes from left to right, each in the colour of its device and with its name; edges between two devices are dashed,
/// and the wider the more bytes they carry.
/// @throws Error(usage) for more than kMostDrawnNodes nodes
std::string placement_drawing(const placement::Graph& graph, const placement::Placement& placement,
                              const std::string& title);

}  // namespace dlrun::cli
