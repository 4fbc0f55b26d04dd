// SPDX-License-Identifier: Apache-2.0
#include "placement_file.hpp"

namespace dlrun::cli {

namespace {

/// Names by the device's.
Json by_device(const placement::Cluster& cluster, const std::vector<std::vector<std::string>>& names) {
  Json all = Json::object();
  for (std::size_t device = 0; device < names.size(); ++device) all[cluster.devices[device].name] = names[device];
  return all;
}

}  // namespace

std::vector<std::vector<std::string>> names_in_turn(const placement::Graph& graph, const placement::Turns& turns,
                                                    bool is_backward) {
  std::vector<std::vector<std::string>> all;
  for (const std::vector<int>& tasks : turns.tasks) {
    all.emplace_back();
    for (const int task : tasks) {
      if ((task >= graph.size()) == is_backward)
        all.back().push_back(graph.nodes[std::size_t(task % graph.size())].name);
    }
  }
  return all;
}

std::string placement_text(const placement::Graph& graph, const placement::Cluster& cluster,
                           const placement::Found& found, bool trains) {
  Json devices = Json::object();
  for (int node = 0; node < graph.size(); ++node) {
    const int device = found.placement[std::size_t(node)];
    devices[graph.nodes[std::size_t(node)].name] = cluster.devices[std::size_t(device)].name;
  }
  Json file = {{"format", "dlrun-placement-1"},
               {"graph", graph.name},
               {"devices", cluster.size()},
               {"link", cluster.link.name},
               {"placer", found.placer},
               {"order", found.order.empty() ? Json() : Json(found.order)},
               {"step_seconds", found.cost.seconds},
               {"fits", found.cost.excess <= 0},
               {"placement", devices}};
  if (trains && !found.turns.tasks.empty()) {
    file["forward"] = by_device(cluster, names_in_turn(graph, found.turns, false));
    file["backward"] = by_device(cluster, names_in_turn(graph, found.turns, true));
  }
  return file.dump(1) + "\n";
}

}  // namespace dlrun::cli
