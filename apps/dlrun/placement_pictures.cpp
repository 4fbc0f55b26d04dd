// SPDX-License-Identifier: Apache-2.0
#include "placement_pictures.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "pictures.hpp"
#include "placement_drawing.hpp"
#include "plot/gantt.hpp"
#include "plot/graphviz.hpp"
#include "util/files.hpp"

namespace dlrun::cli {

namespace {

using namespace placement;

constexpr double kMillisecond = 1e-3;
constexpr std::size_t kForward = 0, kBackward = 1, kTransfer = 2;

std::string link_name(const Cluster& cluster, const std::pair<int, int>& link) {
  const std::string& from = cluster.devices[std::size_t(link.first)].name;
  return link.second < 0 ? fmt::format("from {}", from)
                         : fmt::format("{} → {}", from, cluster.devices[std::size_t(link.second)].name);
}

/// Rows of the links that send, behind the devices' rows.
std::map<std::pair<int, int>, std::size_t> rows_of_links(const Cluster& cluster, const Outcome& outcome) {
  std::map<std::pair<int, int>, std::size_t> rows;
  for (const Span& span : outcome.spans) {
    if (span.tensor >= 0) rows[{span.from, span.to}] = 0;
  }
  std::size_t next = cluster.devices.size();
  for (auto& [link, row] : rows) row = next++;
  return rows;
}

std::string idle_text(double busy, double seconds) {
  return seconds > 0 ? fmt::format("{:.0f} % idle", 100 * (1 - busy / seconds)) : std::string();
}

plot::Picture step_picture(const Step& step, const Cluster& cluster, const Outcome& outcome, const std::string& title) {
  plot::Gantt chart;
  chart.name = "step";
  chart.title = title;
  chart.axis = "milliseconds";
  chart.end = outcome.seconds / kMillisecond;
  chart.groups = {{"forward", plot::kBlue, plot::Shape::square},
                  {"backward", plot::kVermilion, plot::Shape::square},
                  {"transfer", plot::kGreen, plot::Shape::square}};
  const auto links = rows_of_links(cluster, outcome);
  std::vector<double> busy(cluster.devices.size() + links.size());
  for (const Span& span : outcome.spans) {
    const bool is_transfer = span.tensor >= 0;
    const std::size_t row = is_transfer ? links.at({span.from, span.to}) : std::size_t(span.from);
    const bool is_backward = !is_transfer && step.tasks[std::size_t(span.task)].is_backward;
    const std::size_t group = is_transfer ? kTransfer : is_backward ? kBackward : kForward;
    chart.bars.push_back({row, group, span.begin / kMillisecond, span.end / kMillisecond});
    busy[row] += span.end - span.begin;
  }
  for (std::size_t i = 0; i < cluster.devices.size(); ++i)
    chart.rows.push_back({"device " + cluster.devices[i].name, idle_text(busy[i], outcome.seconds)});
  for (const auto& [link, row] : links)
    chart.rows.push_back({link_name(cluster, link), idle_text(busy[row], outcome.seconds)});
  return plot::gantt(chart);
}

}  // namespace

void draw_placement(const Found& found, const Graph& graph, const Question& question, const Arguments& arguments,
                    Console& console) {
  const Step step = question.step_of(graph);
  const Outcome outcome = Simulator(step, question.cluster).outcome(found.placement);
  const std::string title = fmt::format("{}: {:.3f} ms, {}", graph.name, 1e3 * outcome.seconds, found.text());
  const std::filesystem::path folder = arguments.text("plots");
  const std::string svg = plot::graph_drawn(placement_drawing(graph, found.placement, title));
  const std::string text = draw({step_picture(step, question.cluster, outcome, title)}, folder, console.format());
  write_file(folder / "graph.svg", svg, {.durable = false, .mode = 0644});
  console.note(fmt::format("2 pictures are in '{}'", folder.string()));
  if (!text.empty()) console.data(text);
}

}  // namespace dlrun::cli
