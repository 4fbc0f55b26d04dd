// SPDX-License-Identifier: Apache-2.0
#include "recipe/played_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/layer.hpp"
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

class Pipelines {
 public:
  Pipelines(PlacedModel& placed, std::size_t inputs, PipelineSchedule schedule, int batches)
      : placed_(placed),
        schedule_(schedule),
        whole_(step_graph(placed.graph, inputs, batches)),
        pipelined_(whole_, placed.cluster, batches) {}

  /// Takes the placement if it is a pipeline and faster than the last. @param order  along which it was cut, or none
  void try_one(placement::Placement placement, const std::string& decided, const std::string& order) {
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

/// Autograd keeps a plugin's own tensors for the backward pass, and the next batch would change them before it.
void require_apart(const model::Graph& model) {
  for (const model::Node& node : model.nodes) {
    const model::LayerRule* rule = model::find_rule(node.op);
    const bool keeps =
        std::any_of(node.tensors.begin(), node.tensors.end(), [](const auto& t) { return !t.trainable; });
    if (rule != nullptr && rule->is_plugin && keeps)
      throw Error(
          ErrorKind::usage,
          fmt::format("the layer '{}' of a plugin has tensors of its own, which the batches of a pipeline would "
                      "change for each other",
                      node.name),
          "remove schedule");
  }
}

void require_found(const PlacedModel& placed, bool is_file) {
  if (placed.schedule) return;
  const std::string what = placed.decided.empty() ? "every cut along that order" : "'" + placed.decided + "'";
  throw Error(ErrorKind::usage, fmt::format("the devices of {} would wait for each other in a pipeline", what),
              is_file ? "place the layers so that none reads a layer of a later device"
                      : "write placer: auto and order: auto, which cut the layers into stages");
}

}  // namespace

placement::Graph step_graph(placement::Graph graph, std::size_t inputs, int batches) {
  for (placement::Node& node : graph.nodes) {
    node.forward *= batches;
    node.backward *= batches;
    node.out_bytes *= batches;
  }
  std::erase_if(graph.edges, [&](const placement::Edge& edge) { return std::size_t(edge.first) < inputs; });
  return graph;
}

void play_pipeline(PlacedModel& placed, const model::Graph& model, const PlacementConfig& config, int batches) {
  if (batches > kMostParts)
    throw Error(ErrorKind::usage,
                fmt::format("a pipeline takes {} batches a step at most, not {}", kMostParts, batches));
  require_apart(model);
  Pipelines pipelines(placed, model.interface.inputs.size(), schedule_named(schedule_of(config)), batches);
  if (placed.placement.empty()) {
    pipelines.try_cuts(std::get<FoundPlacement>(config).order);
  } else {
    pipelines.try_one(placed.placement, placed.decided, placed.order);
  }
  require_found(placed, std::holds_alternative<GivenPlacement>(config));
  placed.step = pipelines.step();
  placed.batches = batches;
  placed.alone *= batches;
}

}  // namespace dlrun::recipe
