// SPDX-License-Identifier: Apache-2.0
// Tasks of the devices of a pipeline, with the losses of the batches among them.
#include "recipe/played_pipeline.hpp"

namespace dlrun::recipe {

namespace {

/// The stage of the last output's device is where the loss makes nobody wait.
int device_of_loss(const model::Graph& model, const placement::Placement& placement, const std::vector<int>& stages) {
  const std::size_t inputs = model.interface.inputs.size();
  int last = -1;
  for (const model::Output& output : model.outputs) {
    const model::Node* const node = model.find(output.node);
    if (node == nullptr) continue;
    const int device = placement[inputs + std::size_t(node - model.nodes.data())];
    if (last < 0 || stages[std::size_t(device)] > stages[std::size_t(last)]) last = device;
  }
  return last;
}

}  // namespace

PipelineOrders::PipelineOrders(const PlacedModel& placed, const model::Graph& model)
    : graph_(step_graph(placed.graph, model.interface.inputs.size(), 1)),
      placement_(placed.placement),
      stages_(placement::stages_of(graph_, placement_, placed.cluster.size())),
      schedule_(placed.schedule.value()),
      inputs_(int(model.interface.inputs.size())),
      loss_device_(device_of_loss(model, placement_, stages_)) {}

model::PipelineTasks PipelineOrders::of(int batches) const {
  model::PipelineTasks all;
  const auto lists = placement::scheduled(graph_, batches, placement_, stages_, schedule_);
  for (std::size_t device = 0; device < lists.size(); ++device)
    all.push_back(tasks_of(lists[device], int(device) == loss_device_));
  return all;
}

/// @param numbers  of a step's tasks
std::vector<model::PipelineTask> PipelineOrders::tasks_of(const std::vector<int>& numbers, bool has_loss) const {
  using model::PipelineWork;
  const int nodes = graph_.size();
  std::vector<model::PipelineTask> tasks;
  std::size_t losses = 0;  // taken so far
  for (const int number : numbers) {
    if (number % nodes < inputs_) continue;
    const auto batch = std::size_t(number / (2 * nodes));
    const bool is_backward = number / nodes % 2 == 1;
    if (has_loss && is_backward && batch == losses) tasks.push_back({PipelineWork::loss, losses++});
    tasks.push_back(
        {is_backward ? PipelineWork::backward : PipelineWork::forward, batch, std::size_t(number % nodes - inputs_)});
  }
  return tasks;
}

}  // namespace dlrun::recipe
