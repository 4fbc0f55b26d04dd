// SPDX-License-Identifier: Apache-2.0
#include "page/placement_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "page/figures.hpp"
#include "page/markup.hpp"
#include "page/numbers.hpp"
#include "placement/orders.hpp"
#include "plot/graphviz.hpp"
#include "report/placement_drawing.hpp"
#include "report/study_placement.hpp"
#include "util/error.hpp"

namespace dlrun::page {

namespace {

using recipe::PlacedModel;

constexpr std::size_t kMostStepBars = 1'500;
constexpr int kMostGraphNodes = 400, kMostDrawn = 150;  ///< nodes of the plot, and of the static picture

constexpr const char* kStepOrder = "as a step begins them";

/// Layers as they begin to be computed forward, behind the model's inputs.
placement::Order step_order(const PlacedModel& placed) {
  placement::Order order;
  for (const placement::Span& span : placed.outcome.spans) {
    if (span.task >= 0 && span.task < placed.graph.size()) order.push_back(span.task);
  }
  return order;
}

Json orders_json(const PlacedModel& placed) {
  Json orders = Json::array();
  for (const placement::NamedOrder& one : placement::named_orders())
    orders.push_back({{"name", one.name}, {"order", one.of(placed.graph)}});
  orders.push_back({{"name", kStepOrder}, {"order", step_order(placed)}});
  return orders;
}

/// Index of the order that the reader sees first.
std::size_t chosen_order(const Json& orders, const std::string& name) {
  const auto found = std::find_if(orders.begin(), orders.end(), [&](const Json& one) { return one["name"] == name; });
  return found == orders.end() ? orders.size() - 1 : std::size_t(found - orders.begin());
}

/// "fc1", "fc1 backward", in a pipeline "fc1 backward, batch 2"
std::string task_name(const PlacedModel& placed, int number) {
  const placement::Task& task = placed.step.tasks[std::size_t(number)];
  const std::string name = placed.graph.nodes[std::size_t(task.node)].name + (task.is_backward ? " backward" : "");
  return placed.batches > 1 ? fmt::format("{}, batch {}", name, 1 + number / (2 * placed.graph.size())) : name;
}

Json bar_json(const PlacedModel& placed, const report::StepRows& rows, const placement::Span& span) {
  const bool is_transfer = span.tensor >= 0;
  const int task = is_transfer ? placed.step.tensors[std::size_t(span.tensor)].from : span.task;
  const bool is_backward = placed.step.tasks[std::size_t(task)].is_backward;
  return Json::array({rows.row_of(span), data_number(span.begin), data_number(span.end),
                      (is_transfer ? "output of " : "") + task_name(placed, task),
                      is_transfer   ? "transfer"
                      : is_backward ? "backward"
                                    : "forward"});
}

void add_bars(const PlacedModel& placed, Json& out) {
  const report::StepRows rows = report::step_rows(placed.cluster, placed.outcome);
  out["rows"] = rows.names;
  for (const double busy : rows.busy) out["idle"].push_back(data_number(1 - busy));
  out["bars"] = Json::array();
  for (const placement::Span& span : placed.outcome.spans) out["bars"].push_back(bar_json(placed, rows, span));
}

void add_graph(const PlacedModel& placed, Json& out) {
  out["nodes"] = Json::array();
  for (std::size_t i = 0; i < placed.graph.nodes.size(); ++i) {
    const placement::Node& node = placed.graph.nodes[i];
    out["nodes"].push_back(Json::array(
        {node.name, node.op, placed.placement[i], data_number(node.forward + node.backward), node.out_bytes}));
  }
  out["edges"] = placed.graph.edges;
  out["orders"] = orders_json(placed);
  out["chosen"] = chosen_order(out["orders"], placed.order);
}

/// Graphviz's drawing; empty: there is no Graphviz, or too much to see.
std::string graph_image(const PlacedModel& placed, const std::string& alt) {
  if (placed.graph.size() > kMostDrawn || !plot::graphviz_version()) return {};
  return image_html(plot::graph_drawn(report::placement_drawing(placed.graph, placed.placement, "")), alt, 0, 0);
}

}  // namespace

Json placement_json(const report::OpenedStudy& study) {
  const auto found = report::study_placement(study).placement;
  if (!found) return nullptr;
  Json out{{"text", found->text()}, {"devices", found->placed.cluster.size()}};
  if (found->placed.outcome.spans.size() <= kMostStepBars) add_bars(found->placed, out);
  if (found->placed.graph.size() <= kMostGraphNodes) add_graph(found->placed, out);
  return out;
}

std::string placement_html(const StudyPage& page) {
  const auto found = report::study_placement(*page.study).placement;
  const Json& data = page.data.at("placement");
  const std::string whose = found->trial ? fmt::format("Trial {}: ", *found->trial) : "The study's own settings: ";
  std::string out = "<p>" + escaped(whose + found->text()) + ".</p>\n";
  const std::string step = "A training step of the placed model, by device and link";
  out += data.contains("bars") ? figure_html(page, "placement", step) : picture_html(page, "placement");
  const std::string graph = "Layers of the model in the colours of their devices";
  const std::string image = page.pictures.empty() ? std::string() : graph_image(found->placed, graph);
  if (data.contains("nodes")) return out + figure_html(page, "graph", graph, image);
  return out + image;
}

}  // namespace dlrun::page
