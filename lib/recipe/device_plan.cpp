// SPDX-License-Identifier: Apache-2.0
#include "recipe/device_plan.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/placement_graph.hpp"
#include "placement/portfolio.hpp"
#include "placement/rules.hpp"
#include "recipe/given_turns.hpp"
#include "recipe/played_pipeline.hpp"
#include "util/error.hpp"

namespace dlrun::recipe {

namespace {

constexpr const char* kPlace = "placement";

/// Each layer of the model has an entry of the file.
template <class Value>
void require_all_names(const model::Graph& model, const std::map<std::string, Value>& given, const std::string& file) {
  for (const model::Node& node : model.nodes) {
    if (!given.contains(node.name))
      throw Error(ErrorKind::usage, fmt::format("{}: '{}' says nothing of the layer '{}'", kPlace, file, node.name),
                  "make the file anew from this study: dlrun place STUDY.yaml");
  }
}

template <class Value>
void require_no_others(const model::Graph& model, const std::map<std::string, Value>& given, const std::string& file) {
  for (const auto& [name, value] : given) {
    if (model.find(name) == nullptr && !model.interface.inputs.contains(name))
      throw Error(ErrorKind::usage,
                  fmt::format("{}: the model has no layer '{}', which '{}' names", kPlace, name, file),
                  "make the file anew from this study: dlrun place STUDY.yaml");
  }
}

model::SecondsByLayer measured_seconds(const FoundPlacement& config) {
  model::SecondsByLayer all;
  for (const auto& [name, seconds] : config.seconds) all[name] = {seconds.at(0), seconds.at(1)};
  return all;
}

model::SecondsByLayer seconds_of(const model::Graph& model, const PlacementConfig& config, std::int64_t batch) {
  const auto* const found = std::get_if<FoundPlacement>(&config);
  if (found == nullptr || found->profile.empty()) return model::estimated_seconds(model, batch);
  require_all_names(model, found->seconds, found->profile);
  return measured_seconds(*found);
}

/// Placers that cut an order into pieces need a topological one; the rules are about placers that search along it.
std::string order_for(const placement::Graph& graph, const placement::Cluster& cluster, const std::string& placer) {
  if (placement::placer_named(placer).cuts_order) return "topo";
  return placement::rule_for(placement::features_of(graph, cluster, true)).order;
}

placement::Found find(const placement::Graph& graph, const placement::Cluster& cluster, const FoundPlacement& config) {
  std::string order = config.order;
  if (order == "auto") order = order_for(graph, cluster, config.placer);
  const auto found = placement::place({graph, cluster, true, {order}, {config.placer}, config.tries});
  if (config.placer == "auto") return placement::best_of(found);
  return found.back();
}

/// Inputs of the model stand before its layers, on the first device.
placement::Placement given(const model::Graph& model, const GivenPlacement& config, int devices) {
  require_all_names(model, config.nodes, config.path);
  placement::Placement all(model.interface.inputs.size(), 0);
  for (const model::Node& node : model.nodes) {
    all.push_back(config.nodes.at(node.name));
    if (all.back() >= devices)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: '{}' puts '{}' on device {}, but there are {}", kPlace, config.path, node.name,
                              all.back(), devices),
                  "resources: {devices: N} says how many; they count from 0");
  }
  return all;
}

/// Tasks of each device as they begin.
void take_orders(const placement::Outcome& outcome, std::size_t inputs, std::size_t nodes, DevicePlan& plan) {
  for (const placement::Span& span : outcome.spans) {
    if (span.task < 0 || span.task >= 2 * int(nodes)) continue;  // batches behind the first have the same order
    const auto task = std::size_t(span.task), node = task % nodes;
    if (node < inputs) continue;
    auto& orders = task < nodes ? plan.forward : plan.backward;
    orders[std::size_t(span.from)].push_back(node - inputs);
  }
}

/// @param file  of the turns, if they are given
void play(PlacedModel& placed, const placement::Turns& turns, const std::string& file) {
  placed.outcome = placement::outcome_of(placed.step, placed.cluster, placed.placement, turns);
  if (std::isinf(placed.outcome.seconds))
    throw Error(ErrorKind::usage,
                fmt::format("{}: in the order of '{}' devices wait for each other for ever", kPlace, file),
                "make the file anew from this study: dlrun place STUDY.yaml");
}

placement::Placement on_first(const placement::Graph& graph) { return placement::Placement(graph.nodes.size(), 0); }

placement::Turns adopt(placement::Found found, PlacedModel& placed) {
  placed.decided = found.text();
  placed.order = std::move(found.order);
  placed.placement = std::move(found.placement);
  return std::move(found.turns);
}

}  // namespace

std::string PlacedModel::step_text() const {
  if (!schedule) return "a simulated step";
  return fmt::format("a simulated step of {} batches ({})", batches,
                     placement::kScheduleNames[static_cast<std::size_t>(*schedule)]);
}

void require_no_other_layers(const model::Graph& model, const PlacementConfig& config) {
  if (const auto* const given = std::get_if<GivenPlacement>(&config))
    return require_no_others(model, given->nodes, given->path);
  const auto& found = std::get<FoundPlacement>(config);
  require_no_others(model, found.seconds, found.profile);
}

PlacedModel place_model(const model::Graph& model, const PlacementConfig& config, const StepShape& shape) {
  const auto* const found = std::get_if<FoundPlacement>(&config);
  PlacedModel placed;
  placed.graph = model::placement_graph(model, kPlace, shape.batch, seconds_of(model, config, shape.batch));
  placed.cluster = placement::equal_devices(shape.devices, found != nullptr ? found->link : FoundPlacement().link);
  placed.step = placement::training_step(placed.graph);
  placed.alone = placement::Simulator(placed.step, placed.cluster).seconds(on_first(placed.graph));
  const bool is_pipeline = !schedule_of(config).empty() && shape.batches > 1;
  placement::Turns turns;
  std::string file;
  if (found == nullptr) {
    const auto& given_by = std::get<GivenPlacement>(config);
    file = given_by.path;
    placed.placement = given(model, given_by, shape.devices);
    turns = given_turns(placed.graph, model.interface.inputs.size(), placed.placement, shape.devices, given_by);
    placed.decided = "a file";
  } else if (!is_pipeline || found->placer != "auto") {
    turns = adopt(find(placed.graph, placed.cluster, *found), placed);
  }
  if (is_pipeline) {
    play_pipeline(placed, model, config, shape.batches);
  } else {
    play(placed, turns, file);
  }
  return placed;
}

DevicePlan plan_devices(const model::Graph& model, const PlacementConfig& config, const StepShape& shape) {
  const PlacedModel placed = place_model(model, config, shape);
  const std::size_t inputs = model.interface.inputs.size();
  DevicePlan plan{{placed.placement.begin() + std::ptrdiff_t(inputs), placed.placement.end()},
                  {},
                  {},
                  placed.outcome.seconds,
                  placed.alone,
                  {},
                  placed.step_text()};
  plan.forward.resize(std::size_t(shape.devices));
  plan.backward.resize(std::size_t(shape.devices));
  if (placed.schedule) plan.pipeline.emplace(placed, model);
  take_orders(placed.outcome, inputs, placed.placement.size(), plan);
  return plan;
}

}  // namespace dlrun::recipe
