// SPDX-License-Identifier: Apache-2.0
// A study's model as a graph to place, with costs that were measured here.
#pragma once
#include <string>

#include "placement/graph.hpp"
#include "spec/study_spec.hpp"
#include "trial/profile.hpp"

namespace dlrun::cli {

/// Layers with their seconds a step, and a node without cost for each input of the model. Bytes are those of float32.
/// @throws Error(usage) where nodes share weights, which would have to stay together
placement::Graph layer_graph(const spec::StudySpec& spec, const trial::ModelProfile& profile);

/// JSON of the format dlrun-graph-1, which placement::read_graph reads.
std::string graph_text(const placement::Graph& graph);

}  // namespace dlrun::cli
