// SPDX-License-Identifier: Apache-2.0
// `placement:` of a trial, decided for its model.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/graph.hpp"
#include "model/pipeline_task.hpp"
#include "placement/schedules.hpp"
#include "recipe/placement.hpp"

namespace dlrun::recipe {

/// A training step on several devices.
struct StepShape {
  int devices = 1;
  std::int64_t batch = 1;  ///< examples
  int batches = 1;         ///< in a step; with more than one a `schedule` makes it a pipeline
};

/// A model on its devices, and its step as it is simulated. The same on every machine.
struct PlacedModel {
  placement::Graph graph;  ///< a node without cost for each input of the model, then its layers; costs of a batch
  placement::Cluster cluster;
  placement::Placement placement;
  std::string decided;  ///< "greedy along topo", "a file"
  std::string order;    ///< traversal order by which the placer decided; empty: it followed none
  placement::Step step;
  placement::Outcome outcome;
  double alone = 0;                                     ///< seconds of as many batches on one device
  std::optional<placement::PipelineSchedule> schedule;  ///< none: the step has one batch
  int batches = 1;                                      ///< in the simulated step

  /// "a simulated step", or of a pipeline "a simulated step of 4 batches (1f1b)".
  std::string step_text() const;
};

/// @throws Error(usage) as plan_devices()
PlacedModel place_model(const model::Graph& model, const PlacementConfig& config, const StepShape& shape);

/// Tasks of the devices of a pipeline.
class PipelineOrders {
 public:
  /// REQUIRES: a model that is placed as a pipeline.
  PipelineOrders(const PlacedModel& placed, const model::Graph& model);

  /// Each device's tasks for so many batches, in its order.
  model::PipelineTasks of(int batches) const;

 private:
  std::vector<model::PipelineTask> tasks_of(const std::vector<int>& numbers, bool has_loss) const;

  placement::Graph graph_;
  placement::Placement placement_;
  std::vector<int> stages_;
  placement::PipelineSchedule schedule_;
  int inputs_, loss_device_;
};

/// Layers go by their place in graph.nodes.
struct DevicePlan {
  std::vector<int> devices;                                 ///< one for each layer
  std::vector<std::vector<std::size_t>> forward, backward;  ///< layers of each device, as the simulated step has them
  double seconds = 0;                                       ///< a simulated step takes so long
  double alone = 0;                                         ///< one device would take
  std::optional<PipelineOrders> pipeline;                   ///< none: a batch begins when the one before has ended
  std::string step_text;                                    ///< as PlacedModel::step_text()
};

/// @throws Error(usage) where the placement's file names a layer that the model lacks, which others do not mind: in an
///         ablation it may be dropped
void require_no_other_layers(const model::Graph& model, const PlacementConfig& config);

/// The tasks of place_model(), as a trainer needs them.
/// @throws Error(usage) for a layer without a device or without costs, a device that is not there, or devices of a
///         pipeline that would wait for each other
DevicePlan plan_devices(const model::Graph& model, const PlacementConfig& config, const StepShape& shape);

}  // namespace dlrun::recipe
