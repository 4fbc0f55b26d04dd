// SPDX-License-Identifier: Apache-2.0
#include "placement_file.hpp"

namespace dlrun::cli {

std::string placement_text(const placement::Graph& graph, const placement::Cluster& cluster,
                           const placement::Found& found) {
  Json devices = Json::object();
  for (int node = 0; node < graph.size(); ++node) {
    const int device = found.placement[std::size_t(node)];
    devices[graph.nodes[std::size_t(node)].name] = cluster.devices[std::size_t(device)].name;
  }
  const Json file = {{"format", "dlrun-placement-1"},
                     {"graph", graph.name},
                     {"devices", cluster.size()},
                     {"link", cluster.link.name},
                     {"placer", found.placer},
                     {"order", found.order.empty() ? Json() : Json(found.order)},
                     {"step_seconds", found.cost.seconds},
                     {"fits", found.cost.excess <= 0},
                     {"placement", devices}};
  return file.dump(1) + "\n";
}

}  // namespace dlrun::cli
