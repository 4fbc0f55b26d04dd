// SPDX-License-Identifier: Apache-2.0
#include "report/placement_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "plot/palette.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

/// Colours of devices, again from the first where there are more.
constexpr std::array<const char*, 8> kColors = {"#56b4e9", "#e69f00", "#009e73", "#f0e442",
                                                "#cc79a7", "#0072b2", "#d55e00", "#999999"};
constexpr double kWidest = 3;

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += letter;
  }
  return out + '"';
}

const char* color_of(int device) { return kColors[std::size_t(device) % kColors.size()]; }

/// The name, and below it the device: colours alone are lost in print.
std::string label_of(const placement::Node& node, int device) {
  std::string label = in_quotes(node.name);
  label.pop_back();
  return label + fmt::format("\\ndevice {}\"", device);
}

std::string node_line(const placement::Node& node, int number, int device) {
  return fmt::format("n{} [label={}, fillcolor=\"{}\", tooltip={}]\n", number, label_of(node, device), color_of(device),
                     in_quotes(fmt::format("{}, device {}", node.op, device)));
}

/// @param share  of the bytes of the largest output
std::string edge_line(const placement::Edge& edge, bool is_cut, double share) {
  return fmt::format("n{} -> n{} [style={}, color=\"{}\", penwidth={:.2f}]\n", edge.first, edge.second,
                     is_cut ? "dashed" : "solid", is_cut ? plot::kText : plot::kQuiet, 0.5 + kWidest * share);
}

}  // namespace

void require_drawable(const placement::Graph& graph) {
  if (graph.size() > kMostDrawnNodes)
    throw Error(ErrorKind::usage,
                fmt::format("a picture of {} nodes would show nothing: {} at most", graph.size(), kMostDrawnNodes),
                "--coarsen 200 merges them first");
}

std::string placement_drawing(const placement::Graph& graph, const placement::Placement& placement,
                              const std::string& title) {
  require_drawable(graph);
  std::string out = fmt::format(
      "digraph placement {{\nrankdir=LR\nlabel={}\nlabelloc=t\nfontname=sans\nnode [shape=box, "
      "style=\"filled,rounded\", "
      "fontname=sans, color=\"{}\"]\nedge [arrowsize=0.6]\n",
      in_quotes(title), plot::kQuiet);
  std::int64_t most = 1;
  for (const placement::Node& node : graph.nodes) most = std::max(most, node.out_bytes);
  for (int node = 0; node < graph.size(); ++node)
    out += node_line(graph.nodes[std::size_t(node)], node, placement[std::size_t(node)]);
  for (const placement::Edge& edge : graph.edges) {
    const bool is_cut = placement[std::size_t(edge.first)] != placement[std::size_t(edge.second)];
    out += edge_line(edge, is_cut, double(graph.nodes[std::size_t(edge.first)].out_bytes) / double(most));
  }
  return out + "}\n";
}

}  // namespace dlrun::report
