// SPDX-License-Identifier: Apache-2.0
// Pictures of a placed graph: the graph itself, and a step of it over time.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "placement/graph.hpp"
#include "placement/simulator.hpp"
#include "plot/picture.hpp"

namespace dlrun::report {

inline constexpr int kMostDrawnNodes = 1500;

/// @throws Error(usage) for more than kMostDrawnNodes nodes
void require_drawable(const placement::Graph& graph);

/// In Graphviz's language. Nodes from left to right, each in the colour of its device and with its name; edges between
/// two devices are dashed, and the wider the more bytes they carry.
/// @throws Error(usage) as require_drawable()
std::string placement_drawing(const placement::Graph& graph, const placement::Placement& placement,
                              const std::string& title);

/// Rows of a step over time: the devices, then the links that send.
struct StepRows {
  std::vector<std::string> names;
  std::vector<double> busy;  ///< share of the step
  std::size_t row_of(const placement::Span& span) const;

  std::map<std::pair<int, int>, std::size_t> links;  ///< row of a link, by its devices; the second -1: to all
};
StepRows step_rows(const placement::Cluster& cluster, const placement::Outcome& outcome);

/// A placement's step, as step_picture() draws it.
struct DrawnStep {
  const placement::Step& step;
  const placement::Cluster& cluster;
  const placement::Outcome& outcome;
};

/// The step as a Gantt chart.
/// @param name    of the picture's file
/// @param remark  a second, smaller line; or empty
plot::Picture step_picture(const std::string& name, const std::string& title, const std::string& remark,
                           const DrawnStep& drawn);

}  // namespace dlrun::report
