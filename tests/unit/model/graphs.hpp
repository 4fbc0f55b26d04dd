// SPDX-License-Identifier: Apache-2.0
// Short ways to build graphs in tests.
#pragma once
#include <string>
#include <vector>

#include "model/graph.hpp"

namespace dlrun::model {

inline const Interface kMnist{{{"x", {1, 28, 28}}}, 10, 1};

inline Interface input_of(Shape shape) { return {{{"x", std::move(shape)}}, 0, 1}; }

/// @param nodes the list of layers, as JSON.
inline Graph graph_of(const std::string& nodes, const Interface& interface = kMnist) {
  return build(parse_json(R"({"nodes":)" + nodes + "}", "model"), interface);
}

/// A graph of any width at the end: its only fault may be that of the output.
inline Graph part_of(const std::string& nodes, const Interface& interface = kMnist) {
  std::vector<ModelError> faults;
  Graph graph = build(parse_json(R"({"nodes":)" + nodes + "}", "model"), interface, &faults);
  for (const ModelError& fault : faults) {
    if (std::string(fault.what()).find("the model's output") == std::string::npos) throw fault;
  }
  return graph;
}

/// Every fault as "place: message (hint)".
inline std::vector<std::string> faults_of(const std::string& model, const Interface& interface = kMnist) {
  std::vector<ModelError> faults;
  build(parse_json(model, "model"), interface, &faults);
  std::vector<std::string> lines;
  for (const ModelError& fault : faults)
    lines.push_back(fault.path() + ": " + fault.what() + " (" + fault.hint() + ")");
  return lines;
}

}  // namespace dlrun::model
