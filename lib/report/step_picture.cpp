// SPDX-License-Identifier: Apache-2.0
// A step of a placed model over time, by device and link.
#include <fmt/format.h>

#include <algorithm>

#include "plot/gantt.hpp"
#include "report/placement_drawing.hpp"

namespace dlrun::report {

namespace {

using namespace placement;

constexpr double kOneMillisecond = 1e-3;
enum StepGroup { kForward, kBackward, kTransfer };

std::string link_name(const Cluster& cluster, const std::pair<int, int>& link) {
  const std::string& from = cluster.devices[std::size_t(link.first)].name;
  return link.second < 0 ? fmt::format("from {}", from)
                         : fmt::format("{} → {}", from, cluster.devices[std::size_t(link.second)].name);
}

StepGroup group_of(const Step& step, const Span& span) {
  if (span.tensor >= 0) return kTransfer;
  return step.tasks[std::size_t(span.task)].is_backward ? kBackward : kForward;
}

/// Bars of a step. Where a device goes from one batch to the next without a pause, a thin gap shows it.
std::vector<plot::Bar> bars_of(const DrawnStep& drawn, const StepRows& rows) {
  constexpr double kGap = 0.003, kMostOfBar = 0.5;
  std::vector<plot::Bar> bars;
  std::map<std::size_t, std::pair<std::size_t, int>> last;  // last bar and batch of each device
  for (const Span& span : drawn.outcome.spans) {
    const std::size_t row = rows.row_of(span);
    bars.push_back(
        {row, std::size_t(group_of(drawn.step, span)), span.begin / kOneMillisecond, span.end / kOneMillisecond});
    if (span.tensor >= 0 || span.begin == span.end) continue;
    const int batch = span.task / (2 * drawn.step.nodes());
    const auto before = last.find(row);
    if (before != last.end() && before->second.second != batch) {
      plot::Bar& bar = bars[before->second.first];
      bar.end -= std::min(kGap * drawn.outcome.seconds / kOneMillisecond, kMostOfBar * (bar.end - bar.begin));
    }
    last[row] = {bars.size() - 1, batch};
  }
  return bars;
}

}  // namespace

std::size_t StepRows::row_of(const Span& span) const {
  return span.tensor >= 0 ? links.at({span.from, span.to}) : std::size_t(span.from);
}

StepRows step_rows(const Cluster& cluster, const Outcome& outcome) {
  StepRows rows;
  for (const Device& device : cluster.devices) rows.names.push_back("device " + device.name);
  for (const Span& span : outcome.spans) {
    if (span.tensor >= 0) rows.links[{span.from, span.to}] = 0;
  }
  for (auto& [link, row] : rows.links) {
    row = rows.names.size();
    rows.names.push_back(link_name(cluster, link));
  }
  rows.busy.resize(rows.names.size());
  if (outcome.seconds <= 0) return rows;
  for (const Span& span : outcome.spans) rows.busy[rows.row_of(span)] += (span.end - span.begin) / outcome.seconds;
  return rows;
}

plot::Picture step_picture(const std::string& name, const std::string& title, const std::string& remark,
                           const DrawnStep& drawn) {
  const Outcome& outcome = drawn.outcome;
  plot::Gantt chart;
  chart.name = name;
  chart.title = title;
  chart.remark = remark;
  chart.axis = "milliseconds";
  chart.end = outcome.seconds / kOneMillisecond;
  chart.groups = {{"forward", plot::kBlue, plot::Shape::square},
                  {"backward", plot::kVermilion, plot::Shape::square},
                  {"transfer", plot::kGreen, plot::Shape::square}};
  const StepRows rows = step_rows(drawn.cluster, outcome);
  chart.bars = bars_of(drawn, rows);
  for (std::size_t i = 0; i < rows.names.size(); ++i) {
    const std::string idle =
        outcome.seconds > 0 ? fmt::format("{:.0f} % idle", 100 * (1 - rows.busy[i])) : std::string();
    chart.rows.push_back({rows.names[i], idle});
  }
  return plot::gantt(chart);
}

}  // namespace dlrun::report
