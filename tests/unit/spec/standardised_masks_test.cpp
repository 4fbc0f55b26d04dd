// SPDX-License-Identifier: Apache-2.0
// Masks, edges and adjacency matrices of the data are not standardised: their zeros have a meaning.
#include "model/sequences.hpp"
#include "study_file.hpp"

namespace standardised_masks_test {

using namespace dlrun;
using namespace dlrun::spec;
using Catch::Matchers::Contains;

namespace {

const std::string kGraphs = DLRUN_SOURCE "/tests/golden/arrays/stored.npz";

/// @param layer  reads x [5, 3] and adjacency [5, 5]
std::string study(const std::string& standardise, const std::string& layer) {
  return "study: graphs\nobjective: {metric: val.accuracy}\n"
         "space: {lr: {at: optimizer.lr, type: float, low: 0.1, high: 1}}\n"
         "trial:\n  data: {op: npz, path: " +
         kGraphs + ", inputs: {x: features, adjacency: adjacency}, targets: label, standardise: " + standardise +
         "}\n  model:\n    nodes:\n      - " + layer +
         "\n      - {op: flatten}\n      - {name: head, op: linear, out: classes, role: head}\n";
}

std::string fault_of(const std::string& standardise, const std::string& layer) {
  return StudyFile(study(standardise, layer)).errors();
}

}  // namespace

TEST_CASE("an adjacency matrix that is standardised is refused", "[spec][model]") {
  const std::string layer = "{name: gat, op: graph_attention, out: 4, from: [x, adjacency]}";
  CHECK_THAT(fault_of("true", layer), Contains("layer 'gat' reads from the zeros of 'adjacency'") &&
                                          Contains("name the inputs to be standardised, without 'adjacency'"));
  CHECK_THAT(fault_of("[x, adjacency]", layer), Contains("'adjacency'"));
  CHECK_THAT(fault_of("adjacency", layer), Contains("'adjacency'"));
  CHECK(fault_of("[x]", layer).empty());
  CHECK(fault_of("x", layer).empty());
  CHECK(fault_of("false", layer).empty());
}

TEST_CASE("edges that are standardised are refused", "[spec][model]") {
  const std::string encoder = "{op: transformer_encoder_layer, heads: 1, feedforward: 4, from: [x, adjacency]}";
  CHECK_THAT(fault_of("true", encoder), Contains("'adjacency'"));
  CHECK(fault_of("[x]", encoder).empty());
}

TEST_CASE("a mask is no second sequence", "[model]") {
  const model::Graph graph = model::build(
      parse_json(R"({"nodes":[{"op":"multi_head_attention","heads":1,"from":["x","memory","mask"]},{"op":"flatten"},
                              {"op":"linear","out":2}]})",
                 "model"),
      {{{"mask", {4}}, {"memory", {4, 3}}, {"x", {5, 3}}}, 2, 1, {}});
  CHECK_FALSE(model::is_selection(graph.nodes[0], 0));
  CHECK_FALSE(model::is_selection(graph.nodes[0], 1));
  CHECK(model::is_selection(graph.nodes[0], 2));
  CHECK_FALSE(model::is_selection(graph.nodes[2], 0));
}

}  // namespace standardised_masks_test
