// SPDX-License-Identifier: Apache-2.0
#include "recipe/played_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placement/baselines.hpp"
#include "placement/orders.hpp"
#include "placement/pipelined.hpp"
#include "util/error.hpp"

namespace dlrun::recipe {

namespace {

using placement::PipelineSchedule;

PipelineSchedule schedule_named(const std::string& name) {
  const auto& names = placement::kScheduleNames;
  return static_cast<PipelineSchedule>(std::find(std::begin(names), std::end(names), name) - std::begin(names));
}

/// Costs of so many batches.
placement::Graph times(placement::Graph graph, int batches) {
  for (placement::Node& node : graph.nodes) {
    node.forward *= batches;
    node.backward *= batches;
    node.out_bytes *= batches;
  }
  return graph;
}

/// Inputs of the model are wherever they are read first, so that they make no device wait.
void move_inputs(const placement::Graph& graph, placement::Placement& placement) {
  const placement::Lists parents = placement::parents_of(graph), readers = placement::children_of(graph);
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    if (parents[node].empty() && !readers[node].empty() && graph.nodes[node].forward == 0)
      placement[node] = placement[std::size_t(*std::min_element(readers[node].begin(), readers[node].end()))];
  }
}

class Pipelines {
 public:
  Pipelines(PlacedModel& placed, PipelineSchedule schedule, int batches)
      : placed_(placed),
        schedule_(schedule),
        whole_(times(placed.graph, batches)),
        pipelined_(whole_, placed.cluster, batches) {}

  /// Takes the placement if it is a pipeline and faster than the last. @param order  along which it was cut, or none
  void try_one(placement::Placement placement, const std::string& decided, const std::string& order) {
    move_inputs(whole_, placement);
    auto outcome = pipelined_.outcome(placement, schedule_);
    if (!outcome || (placed_.schedule && outcome->seconds >= placed_.outcome.seconds)) return;
    placed_.schedule = schedule_;
    placed_.outcome = std::move(*outcome);
    placed_.placement = std::move(placement);
    placed_.decided = decided;
    placed_.order = order;
  }

  void try_cuts(const std::string& wanted) {
    for (const placement::NamedOrder& order : placement::named_orders()) {
      if (wanted != "auto" && wanted != order.name) continue;
      try_one(placement::cut_by_work(placed_.graph, order.of(placed_.graph), placed_.cluster),
              std::string("split along ") + order.name, order.name);
    }
  }

  const placement::Step& step() const { return pipelined_.step(); }

 private:
  PlacedModel& placed_;
  PipelineSchedule schedule_;
  placement::Graph whole_;
  placement::Pipelined pipelined_;
};

void require_batches(int batches, const std::string& schedule) {
  if (batches < 2)
    throw Error(ErrorKind::usage, fmt::format("a step is one batch, which {} cannot cut", schedule),
                "write accumulate: 4 beside it, with a batch_size a quarter as large");
  if (batches > kMostParts)
    throw Error(ErrorKind::usage,
                fmt::format("a pipeline takes {} batches a step at most, not {}", kMostParts, batches));
}

}  // namespace

void play_pipeline(PlacedModel& placed, const PlacementConfig& config, int batches) {
  require_batches(batches, schedule_of(config));
  Pipelines pipelines(placed, schedule_named(schedule_of(config)), batches);
  if (placed.placement.empty()) {
    pipelines.try_cuts(std::get<FoundPlacement>(config).order);
  } else {
    pipelines.try_one(placed.placement, placed.decided, placed.order);
  }
  if (!placed.schedule)
    throw Error(ErrorKind::usage,
                fmt::format("the devices of {} would wait for each other in a pipeline",
                            placed.decided.empty() ? "every cut" : "'" + placed.decided + "'"),
                "write placer: split beside it, which cuts the layers into stages");
  placed.step = pipelines.step();
  placed.batches = batches;
  placed.alone *= batches;
}

PipelineOrders::PipelineOrders(const PlacedModel& placed, std::size_t inputs)
    : graph_(placed.graph),
      placement_(placed.placement),
      stages_(placement::stages_of(graph_, placement_, placed.cluster.size())),
      schedule_(placed.schedule.value()),
      inputs_(int(inputs)) {}

std::vector<std::vector<PipelineTask>> PipelineOrders::of(int batches) const {
  const int nodes = graph_.size();
  std::vector<std::vector<PipelineTask>> all;
  for (const auto& tasks : placement::scheduled(graph_, batches, placement_, stages_, schedule_)) {
    all.emplace_back();
    for (const int task : tasks) {
      if (task % nodes < inputs_) continue;
      all.back().push_back(
          {std::size_t(task / (2 * nodes)), std::size_t(task % nodes - inputs_), task / nodes % 2 == 1});
    }
  }
  return all;
}

}  // namespace dlrun::recipe
