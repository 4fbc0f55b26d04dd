// SPDX-License-Identifier: Apache-2.0
#include "place_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "placement/ranks.hpp"
#include "util/units.hpp"

namespace dlrun::cli {

using namespace placement;

namespace {

double rounded_to(double value, double digits) { return std::round(value * digits) / digits; }

std::string peaks_text(const std::vector<std::int64_t>& peaks) {
  std::string text;
  for (const std::int64_t peak : peaks)
    text += (text.empty() ? "" : " ") + std::to_string((peak + 500'000) / 1'000'000);
  return text;
}

std::string link_text(const Cluster& cluster) {
  if (cluster.pairs.empty()) return cluster.link.name;
  return fmt::format("{}, and others of {} pairs", cluster.link.name, cluster.pairs.size());
}

std::vector<Json> row_of(const Found& found, const Outcome& outcome, double single, double bound) {
  const auto used = std::count_if(outcome.busy.begin(), outcome.busy.end(), [](double busy) { return busy > 0; });
  return {found.placer,
          found.order.empty() ? Json() : Json(found.order),
          step_milliseconds(found.cost.seconds),
          ratio_of(single > 0 ? found.cost.seconds / single : 1),
          ratio_of(bound > 0 ? found.cost.seconds / bound - 1 : 0),
          found.cost.excess <= 0,
          used,
          rounded_to(double(outcome.sent) / 1e6, 1e3),
          outcome.transfers,
          peaks_text(outcome.peak),
          found.evaluations};
}

}  // namespace

Json ratio_of(double value) { return rounded_to(value, 1e3); }
Json step_milliseconds(double seconds) { return ratio_of(seconds * 1e3); }

report::Table graph_table(const Graph& graph, const Cluster& cluster, const Bounds& bounds, double single) {
  double bytes = 0;
  for (const Node& node : graph.nodes) bytes += double(node.param_bytes);
  return {.title = fmt::format("the graph '{}'", graph.name),
          .columns = {"what", "value"},
          .rows = {{"nodes", graph.size()},
                   {"edges", graph.edges.size()},
                   {"depth", depth_of(graph)},
                   {"parameters", bytes_text(bytes)},
                   {"devices", cluster.size()},
                   {"link", link_text(cluster)},
                   {"one_device_ms", step_milliseconds(single)},
                   {"critical_path_ms", step_milliseconds(bounds.critical_path)},
                   {"work_over_devices_ms", step_milliseconds(bounds.work)},
                   {"largest_node_ms", step_milliseconds(bounds.largest)}}};
}

report::Table device_table(const Found& best, const Step& step, const Cluster& cluster) {
  const Outcome outcome = played(best, step, cluster);
  report::Table table{.title = "devices, with the fastest placement",
                      .columns = {"device", "speed", "memory_MB", "nodes", "busy_ms", "peak_MB"}};
  for (int number = 0; number < cluster.size(); ++number) {
    const Device& device = cluster.devices[std::size_t(number)];
    table.rows.push_back({device.name, device.speed,
                          device.memory > 0 ? Json(std::round(double(device.memory) / 1e6)) : Json(),
                          std::count(best.placement.begin(), best.placement.end(), number),
                          step_milliseconds(outcome.busy[std::size_t(number)]),
                          std::round(double(outcome.peak[std::size_t(number)]) / 1e6)});
  }
  return table;
}

double bound_of(const Bounds& bounds, const std::vector<Found>& all) {
  double bound = bounds.most();
  for (const Found& found : all) bound = std::max(bound, found.proof.seconds);
  return bound;
}

report::Table found_table(const std::vector<Found>& all, const Step& step, const Cluster& cluster, double bound) {
  report::Table table{.title = "placements, the fastest first",
                      .columns = {"placer", "order", "step_ms", "of_one_device", "over_bound", "fits", "used",
                                  "sent_MB", "transfers", "peak_MB", "tried"}};
  std::vector<Found> sorted = all;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Found& a, const Found& b) { return a.cost < b.cost; });
  const double single = all.front().cost.seconds;
  for (const Found& found : sorted) table.rows.push_back(row_of(found, played(found, step, cluster), single, bound));
  return table;
}

}  // namespace dlrun::cli
