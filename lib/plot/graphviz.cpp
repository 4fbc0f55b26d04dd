// SPDX-License-Identifier: Apache-2.0
#include "plot/graphviz.hpp"

#include "plot/program.hpp"
#include "util/error.hpp"

namespace dlrun::plot {

std::optional<std::string> graphviz_version() {
  const auto said = run_program({"dot", "-V"}, "");
  if (!said || !said->is_fine) return std::nullopt;
  return said->error.substr(0, said->error.find('\n'));
}

std::string graph_drawn(const std::string& graph) {
  const auto said = run_program({"dot", "-Tsvg"}, graph);
  if (!said) {
    throw Error(ErrorKind::usage, "graphs are drawn by Graphviz's dot, and there is none in PATH",
                "install it (Debian: graphviz), or take --format dot");
  }
  if (said->is_fine && !said->out.empty()) return said->out;
  const std::string first = said->error.substr(0, said->error.find('\n'));
  throw Error(ErrorKind::outside, "dot could not draw the graph: " + (first.empty() ? "it says nothing" : first));
}

}  // namespace dlrun::plot
