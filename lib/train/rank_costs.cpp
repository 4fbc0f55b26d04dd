// SPDX-License-Identifier: Apache-2.0
#include "train/rank_costs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "util/units.hpp"

namespace dlrun::train {

namespace {

Json json_of(const parallel::Cost& cost) {
  const parallel::Seconds& seconds = cost.seconds;
  return {cost.process,    cost.gradients, seconds.computing, seconds.applying, seconds.transferring,
          seconds.waiting, cost.sent,      cost.received,     cost.mailbox};
}

parallel::Cost cost_of(const Json& json) {
  parallel::Cost cost{json.at(0).get<int>(), json.at(1).get<std::int64_t>()};
  std::size_t place = 2;
  for (double* const number : {&cost.seconds.computing, &cost.seconds.applying, &cost.seconds.transferring,
                               &cost.seconds.waiting, &cost.sent, &cost.received, &cost.mailbox})
    *number = json.at(place++).get<double>();
  return cost;
}

trial::GangNode node_of(const parallel::Cost& cost, int ranks) {
  trial::GangNode node;
  node.is_server = cost.process >= ranks;
  node.number = node.is_server ? cost.process - ranks : cost.process;
  node.gradients = cost.gradients;
  node.computing = cost.seconds.computing;
  node.applying = cost.seconds.applying;
  node.transferring = cost.seconds.transferring;
  node.waiting = cost.seconds.waiting;
  node.sent = cost.sent;
  node.received = cost.received;
  return node;
}

}  // namespace

RankCosts RankCosts::of(const parallel::Gang& gang, const parallel::Members<float>& members,
                        const parallel::Backend& backend) {
  RankCosts all{backend.costs(), std::vector<parallel::Staleness>(std::size_t(gang.rank_processes()))};
  for (std::size_t rank = 0; rank < members.ranks.size(); ++rank) {
    parallel::Staleness& own = all.staleness[std::size_t(gang.process_of(int(rank)))];
    own.add(members.ranks[rank].staleness);
    for (const auto& server : members.servers) own.add(server.staleness.seen()[rank]);
  }
  return all;
}

void RankCosts::add(const RankCosts& other) {
  for (const parallel::Cost& cost : other.processes) {
    const auto found = std::find_if(processes.begin(), processes.end(),
                                    [&](const parallel::Cost& own) { return own.process >= cost.process; });
    if (found != processes.end() && found->process == cost.process)
      *found += cost;
    else
      processes.insert(found, cost);
  }
  if (staleness.size() < other.staleness.size()) staleness.resize(other.staleness.size());
  for (std::size_t rank = 0; rank < other.staleness.size(); ++rank) staleness[rank].add(other.staleness[rank]);
}

bool RankCosts::has_computed() const {
  return std::any_of(processes.begin(), processes.end(), [](const auto& cost) { return cost.gradients > 0; });
}

Json RankCosts::to_json() const {
  Json json = {{"processes", Json::array()}, {"staleness", Json::array()}};
  for (const parallel::Cost& cost : processes) json["processes"].push_back(json_of(cost));
  for (const parallel::Staleness& one : staleness) json["staleness"].push_back({one.updates, one.sum, one.most});
  return json;
}

RankCosts RankCosts::from_json(const Json& json) {
  RankCosts costs;
  for (const Json& cost : json.at("processes")) costs.processes.push_back(cost_of(cost));
  for (const Json& one : json.at("staleness")) {
    costs.staleness.push_back(
        {one.at(0).get<std::int64_t>(), one.at(1).get<std::int64_t>(), one.at(2).get<std::int64_t>()});
  }
  return costs;
}

void begin_staleness(parallel::Members<float>& members) {
  for (auto& rank : members.ranks) rank.staleness = {};
  for (auto& server : members.servers) server.staleness.begin_epoch();
}

trial::GangReport report_of(const RankCosts& costs, int ranks, std::int64_t epoch, bool is_virtual) {
  trial::GangReport report{epoch, is_virtual, {}};
  for (const parallel::Cost& cost : costs.processes) {
    trial::GangNode node = node_of(cost, ranks);
    if (!node.is_server) {
      const parallel::Staleness& staleness = costs.staleness[std::size_t(node.number)];
      node.updates = staleness.updates;
      node.staleness = staleness.mean();
      node.most_stale = staleness.most;
    }
    report.nodes.push_back(node);
  }
  return report;
}

std::string text_of(const RankCosts& costs, int ranks, std::int64_t epoch, double elapsed) {
  std::string text = fmt::format("epoch {}: {} processes, {:.3f} s", epoch, costs.processes.size(), elapsed);
  for (const parallel::Cost& cost : costs.processes) {
    const bool is_rank = cost.process < ranks;
    text += is_rank ? fmt::format("; rank {}: {} gradients in {:.3f} s", cost.process, cost.gradients,
                                  cost.seconds.computing)
                    : fmt::format("; server {}:", cost.process - ranks);
    text += fmt::format(" sent {}", bytes_text(cost.sent));
  }
  return text;
}

}  // namespace dlrun::train
