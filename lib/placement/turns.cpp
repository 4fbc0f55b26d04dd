// SPDX-License-Identifier: Apache-2.0
#include "placement/turns.hpp"

#include <algorithm>
#include <tuple>

namespace dlrun::placement {

namespace {

/// A task of a device, or a tensor of a link.
struct Turn {
  double begin = 0;
  int rank = 0;
  int what = 0;
};

/// Place of each task in an order in which producers come first.
std::vector<int> ranks_of(const Step& step) {
  std::vector<int> ranks(step.tasks.size());
  int next = 0;
  for (const int task : producers_first(step)) ranks[std::size_t(task)] = next++;
  return ranks;
}

using TurnLists = std::vector<std::vector<Turn>>;

Lists sorted(TurnLists all) {
  Lists lists;
  for (auto& turns : all) {
    std::stable_sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
      return std::tie(a.begin, a.rank) < std::tie(b.begin, b.rank);
    });
    lists.emplace_back();
    for (const Turn& turn : turns) lists.back().push_back(turn.what);
  }
  return lists;
}

/// Whether the tensor has to travel to the device, or to any that is not its own where one transfer serves all.
bool travels(const Step& step, const Cluster& cluster, const Placement& placement, const Departure& departure) {
  const Tensor& tensor = step.tensors[std::size_t(departure.tensor)];
  const int from = device_of(step, placement, tensor.from);
  return std::any_of(tensor.readers.begin(), tensor.readers.end(), [&](int reader) {
    const int device = device_of(step, placement, reader);
    return device != from && (cluster.link.broadcasts || device == departure.to);
  });
}

}  // namespace

Turns pass_by_pass(const Turns& turns, int nodes) {
  Turns passes{turns.tasks};
  for (std::vector<int>& tasks : passes.tasks)
    std::stable_partition(tasks.begin(), tasks.end(), [&](int task) { return task < nodes; });
  return passes;
}

Lists tasks_by_begin(const Step& step, const Placement& placement, int devices, const std::vector<double>& begins) {
  const std::vector<int> ranks = ranks_of(step);
  TurnLists turns;
  turns.resize(std::size_t(devices));
  for (int task = 0; task < int(step.tasks.size()); ++task)
    turns[std::size_t(device_of(step, placement, task))].push_back(
        {begins[std::size_t(task)], ranks[std::size_t(task)], task});
  return sorted(std::move(turns));
}

Lists tensors_by_begin(const Step& step, const Cluster& cluster, const Placement& placement,
                       const std::vector<Departure>& departures) {
  const std::vector<int> ranks = ranks_of(step);
  TurnLists turns;
  turns.resize(std::size_t(cluster.links()));
  for (const Departure& departure : departures) {
    if (!travels(step, cluster, placement, departure)) continue;
    const int producer = step.tensors[std::size_t(departure.tensor)].from;
    const int link = cluster.link_number(device_of(step, placement, producer), departure.to);
    turns[std::size_t(link)].push_back({departure.begin, ranks[std::size_t(producer)], departure.tensor});
  }
  return sorted(std::move(turns));
}

}  // namespace dlrun::placement
