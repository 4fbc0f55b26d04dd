// SPDX-License-Identifier: Apache-2.0
#include "trial/gang_report.hpp"

namespace dlrun::trial {

namespace {

Json to_json(const GangNode& node) {
  return {node.is_server, node.number, node.gradients, node.computing, node.applying,  node.transferring,
          node.waiting,   node.sent,   node.received,  node.updates,   node.staleness, node.most_stale};
}

GangNode gang_node(const JsonView& json) {
  GangNode node;
  node.is_server = json.at(std::size_t(0)).get<bool>();
  node.number = whole<int>(json.at(1));
  node.gradients = whole<std::int64_t>(json.at(2));
  std::size_t place = 3;
  for (double* const number :
       {&node.computing, &node.applying, &node.transferring, &node.waiting, &node.sent, &node.received})
    *number = json.at(place++).get<double>();
  node.updates = whole<std::int64_t>(json.at(place++));
  node.staleness = json.at(place++).get<double>();
  node.most_stale = whole<std::int64_t>(json.at(place));
  return node;
}

}  // namespace

Json to_json(const GangReport& report) {
  Json nodes = Json::array();
  for (const GangNode& node : report.nodes) nodes.push_back(to_json(node));
  return {{"epoch", report.epoch}, {"virtual", report.is_virtual}, {"nodes", std::move(nodes)}};
}

GangReport gang_report(const JsonView& json) {
  GangReport report;
  report.epoch = whole<std::int64_t>(json.at("epoch"));
  report.is_virtual = json.at("virtual").get<bool>();
  for (const JsonView& node : json.at("nodes").list()) report.nodes.push_back(gang_node(node));
  return report;
}

}  // namespace dlrun::trial
