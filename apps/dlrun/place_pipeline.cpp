// SPDX-License-Identifier: Apache-2.0
#include "place_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "place_tables.hpp"
#include "placement/pipelined.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

using namespace placement;

constexpr std::int64_t kMostParts = 1024;
constexpr std::size_t kFits = 6;  ///< column of the table

/// Share of the step in which the devices that have layers compute nothing.
double idle_share(const Outcome& outcome, const Placement& placement) {
  const std::size_t used = std::set<int>(placement.begin(), placement.end()).size();
  const double busy = std::accumulate(outcome.busy.begin(), outcome.busy.end(), 0.0);
  return outcome.seconds > 0 ? 1 - busy / (double(used) * outcome.seconds) : 0;
}

std::int64_t most_bytes(const Outcome& outcome) { return *std::max_element(outcome.peak.begin(), outcome.peak.end()); }

class Rows {
 public:
  Rows(const Graph& graph, const Cluster& cluster, int parts, double single)
      : single_(single), cluster_(cluster), pipelined_(graph, cluster, parts) {}

  void add_schedules(const Found& found) {
    if (is_on_one_device(found.placement) || !seen_.insert(found.placement).second) return;
    for (const PipelineSchedule schedule : {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b}) {
      if (const auto outcome = pipelined_.outcome(found.placement, schedule)) add_row(found, *outcome, schedule);
    }
  }

  /// The fastest first, and those that do not fit in memory last.
  std::vector<std::vector<Json>> sorted() && {
    std::stable_sort(rows_.begin(), rows_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::vector<Json>> all;
    for (auto& [cost, row] : rows_) all.push_back(std::move(row));
    return all;
  }

 private:
  void add_row(const Found& found, const Outcome& outcome, PipelineSchedule schedule) {
    const Cost cost{excess_of(outcome, cluster_), outcome.seconds};
    rows_.push_back(
        {cost,
         {found.placer, found.order.empty() ? Json() : Json(found.order),
          kScheduleNames[static_cast<std::size_t>(schedule)], step_milliseconds(outcome.seconds),
          ratio_of(single_ > 0 ? outcome.seconds / single_ : 1), ratio_of(idle_share(outcome, found.placement)),
          cost.excess <= 0, ratio_of(double(most_bytes(outcome)) / 1e6)}});
  }

  double single_;
  const Cluster& cluster_;
  Pipelined pipelined_;
  std::set<Placement> seen_;
  std::vector<std::pair<Cost, std::vector<Json>>> rows_;
};

}  // namespace

int part_count(const Arguments& arguments) {
  if (!arguments.has("microbatches")) return 0;
  const std::int64_t parts = arguments.number("microbatches", 1, 1);
  if (parts > kMostParts)
    throw Error(ErrorKind::usage, fmt::format("--microbatches {} is more than {}", parts, kMostParts));
  if (arguments.has("inference"))
    throw Error(ErrorKind::usage, "--microbatches are of a training step, and --inference has none",
                "remove one of the two");
  return int(parts);
}

report::Table pipeline_table(const Graph& graph, const Cluster& cluster, const std::vector<Found>& found, int parts,
                             Console& console) {
  if (parts == 0) return {};
  Rows rows(graph, cluster, parts, found.front().cost.seconds);
  for (const Found& one : found) rows.add_schedules(one);
  report::Table table{.title = fmt::format("pipelines of {} microbatches, the fastest first", parts),
                      .columns = {"placer", "order", "schedule", "step_ms", "of_one_device", "idle", "fits", "most_MB"},
                      .rows = std::move(rows).sorted()};
  if (!some_fits(table)) return table;
  const std::vector<Json>& best = table.rows.front();
  console.note(fmt::format("fastest pipeline: {}{}, {}, {} of one device's time", best[0].get<std::string>(),
                           best[1].is_null() ? "" : " along " + best[1].get<std::string>(), best[2].get<std::string>(),
                           best[4].get<double>()));
  return table;
}

bool some_fits(const report::Table& pipelines) {
  return !pipelines.rows.empty() && pipelines.rows.front()[kFits].get<bool>();
}

void require_pipeline(const report::Table& pipelines, const std::vector<Found>& found) {
  if (!pipelines.rows.empty()) return;
  const bool are_alone =
      std::all_of(found.begin(), found.end(), [](const Found& one) { return is_on_one_device(one.placement); });
  throw Error(ErrorKind::usage,
              are_alone ? "no placement is a pipeline: each is on one device"
                        : "no placement is a pipeline: in each some device would wait for a later one",
              "--placer split --order topo cuts a topological order into stages");
}

}  // namespace dlrun::cli
