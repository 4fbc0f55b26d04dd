// SPDX-License-Identifier: Apache-2.0
#include "placement/schedules.hpp"

#include <algorithm>

#include "placement/orders.hpp"

namespace dlrun::placement {

namespace {

/// Edges between devices, each once.
std::vector<std::vector<char>> crossings(const Graph& graph, const Placement& placement, int devices) {
  std::vector<std::vector<char>> crosses(std::size_t(devices), std::vector<char>(std::size_t(devices), 0));
  for (const auto& [from, to] : graph.edges) {
    const int a = placement[std::size_t(from)], b = placement[std::size_t(to)];
    if (a != b) crosses[std::size_t(a)][std::size_t(b)] = 1;
  }
  return crosses;
}

/// One device's tasks for one part.
class Lane {
 public:
  Lane(const Order& order, const Placement& placement, int device) : nodes_(int(order.size())) {
    for (const int node : order) {
      if (placement[std::size_t(node)] == device) own_.push_back(node);
    }
  }

  void forward(int part) {
    for (const int node : own_) tasks.push_back(2 * nodes_ * part + node);
  }
  void backward(int part) {
    for (auto node = own_.rbegin(); node != own_.rend(); ++node) tasks.push_back(2 * nodes_ * part + nodes_ + *node);
  }

  std::vector<int> tasks;

 private:
  int nodes_;
  std::vector<int> own_;
};

}  // namespace

std::vector<int> stages_of(const Graph& graph, const Placement& placement, int devices) {
  const auto crosses = crossings(graph, placement, devices);
  std::vector<int> stages(std::size_t(devices), -1);
  for (const int device : placement) stages[std::size_t(device)] = 0;
  for (int round = 0; round <= devices; ++round) {
    bool moved = false;
    for (std::size_t a = 0; a < crosses.size(); ++a) {
      for (std::size_t b = 0; b < crosses.size(); ++b) {
        if (!crosses[a][b] || stages[b] > stages[a]) continue;
        stages[b] = stages[a] + 1;
        moved = true;
      }
    }
    if (!moved) return stages;
  }
  return {};
}

Lists scheduled(const Graph& graph, int parts, const Placement& placement, const std::vector<int>& stages,
                PipelineSchedule schedule) {
  const int depth = *std::max_element(stages.begin(), stages.end()) + 1;
  const Order order = kahn(graph);
  Lists all;
  for (int device = 0; device < int(stages.size()); ++device) {
    Lane lane(order, placement, device);
    const int ahead =
        schedule == PipelineSchedule::gpipe ? parts : std::min(parts, depth - std::max(0, stages[std::size_t(device)]));
    for (int part = 0; part < ahead; ++part) lane.forward(part);
    for (int part = 0; part < parts; ++part) {
      lane.backward(part);
      if (ahead + part < parts) lane.forward(ahead + part);
    }
    all.push_back(std::move(lane.tasks));
  }
  return all;
}

}  // namespace dlrun::placement
