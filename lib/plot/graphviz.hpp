// SPDX-License-Identifier: Apache-2.0
// Graphviz's dot as a child that draws graphs.
#pragma once
#include <optional>
#include <string>

namespace dlrun::plot {

/// "dot - graphviz version 2.43.0 (0)"; nullopt: there is none in PATH.
std::optional<std::string> graphviz_version();

/// A graph in Graphviz's language as SVG.
/// @throws Error(usage) where there is no `dot`; Error(outside) where it fails, with what it says, or takes longer than
///         a minute.
std::string graph_drawn(const std::string& graph);

}  // namespace dlrun::plot
