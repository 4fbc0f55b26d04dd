// SPDX-License-Identifier: Apache-2.0
#include "train/gang_states.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dlrun::train {

namespace {

Json numbers_beside(const parallel::Rank<float>& rank) { return {rank.clock, rank.pulled, rank.waits, rank.weight}; }

Json numbers_beside(const parallel::Server<float>& server) {
  Json all = {server.clock, server.pending_count, server.counts};
  const bool has_missed = server.staleness.has_missed();
  if (!server.answered.empty()) all.push_back(server.answered);
  if (server.answered.empty() && has_missed) all.push_back(nullptr);
  if (has_missed) all.push_back(server.staleness.missed());
  return all;
}

void restore_one(const Json& json, parallel::Rank<float>& rank) {
  rank.clock = json.at(0).get<std::int64_t>();
  rank.pulled = json.at(1).get<std::int64_t>();
  rank.waits = json.at(2).get<bool>();
  rank.weight = json.at(3).get<double>();
}

void restore_one(const Json& json, parallel::Server<float>& server) {
  server.clock = json.at(0).get<std::int64_t>();
  server.pending_count = json.at(1).get<std::int64_t>();
  server.counts = json.at(2).get<std::vector<std::int64_t>>();
  if (json.size() > 3 && !json.at(3).is_null()) server.answered = json.at(3).get<std::vector<std::int64_t>>();
  const std::vector<std::int64_t> none(server.staleness.missed().size());
  server.staleness.restore(json.size() > 4 ? json.at(4).get<std::vector<std::int64_t>>() : none);
}

/// Adds those that are not empty.
void add_unless_empty(std::vector<NamedNumbers>& all, std::string name, std::vector<float>& numbers) {
  if (!numbers.empty()) all.push_back({std::move(name), numbers});
}

bool is_here(const parallel::Gang& gang, int node, int process) {
  return process == GangStates::kAll || gang.process_of(node) == process;
}

}  // namespace

void GangStates::forget(const parallel::Gang& gang, int node) {
  if (node < gang.ranks) {
    parallel::Rank<float>& rank = members.ranks[std::size_t(node)];
    for (auto* numbers : {&rank.weights, &rank.anchor, &rank.velocity, &rank.residual, &rank.basis}) *numbers = {};
    return;
  }
  parallel::Server<float>& server = members.servers[std::size_t(node - gang.ranks)];
  for (auto* numbers : {&server.weights, &server.pending}) *numbers = {};
}

std::vector<NamedNumbers> GangStates::tensors(const parallel::Gang& gang, int process) {
  std::vector<NamedNumbers> all;
  for (int i = 0; i < gang.ranks; ++i) {
    if (!is_here(gang, i, process)) continue;
    parallel::Rank<float>& rank = members.ranks[std::size_t(i)];
    add_unless_empty(all, fmt::format("rank.{}.weights", i), rank.weights);
    add_unless_empty(all, fmt::format("rank.{}.anchor", i), rank.anchor);
    add_unless_empty(all, fmt::format("rank.{}.velocity", i), rank.velocity);
    add_unless_empty(all, fmt::format("rank.{}.residual", i), rank.residual);
    add_unless_empty(all, fmt::format("rank.{}.basis", i), rank.basis);
  }
  for (int i = 0; i < gang.servers(); ++i) {
    if (!is_here(gang, gang.server(i), process)) continue;
    parallel::Server<float>& server = members.servers[std::size_t(i)];
    add_unless_empty(all, fmt::format("server.{}.weights", i), server.weights);
    add_unless_empty(all, fmt::format("server.{}.pending", i), server.pending);
  }
  for (std::size_t node = 0; node < steps.size(); ++node) {
    if (!is_here(gang, int(node), process)) continue;
    for (Slot& slot : steps[node]->optimizer().slots())
      add_unless_empty(all, fmt::format("node.{}.{}", node, slot.name), slot.values);
  }
  return all;
}

Json GangStates::counters() const {
  Json json = {{"ranks", Json::array()}, {"servers", Json::array()}};
  for (const auto& rank : members.ranks) json["ranks"].push_back(numbers_beside(rank));
  for (const auto& server : members.servers) json["servers"].push_back(numbers_beside(server));
  json["steps"] = counts;
  return json;
}

void GangStates::restore(const Json& json) {
  for (std::size_t i = 0; i < members.ranks.size(); ++i) restore_one(json.at("ranks").at(i), members.ranks[i]);
  for (std::size_t i = 0; i < members.servers.size(); ++i) restore_one(json.at("servers").at(i), members.servers[i]);
  counts = json.at("steps").get<std::vector<std::int64_t>>();
}

Json GangStates::counters_of(const parallel::Gang& gang, int process) const {
  Json all = Json::array();
  for (int node = 0; node < gang.nodes(); ++node) {
    if (!is_here(gang, node, process)) continue;
    const auto i = std::size_t(node), server = i - members.ranks.size();
    const bool is_rank = node < gang.ranks;
    const Json own = is_rank ? numbers_beside(members.ranks[i]) : numbers_beside(members.servers[server]);
    all.push_back({own, counts[i]});
  }
  return all;
}

void GangStates::restore_some(const parallel::Gang& gang, int process, const Json& json) {
  std::size_t next = 0;
  for (int node = 0; node < gang.nodes(); ++node) {
    if (!is_here(gang, node, process)) continue;
    const Json& one = json.at(next++);
    const auto i = std::size_t(node), server = i - members.ranks.size();
    if (node < gang.ranks) restore_one(one.at(0), members.ranks[i]);
    if (node >= gang.ranks) restore_one(one.at(0), members.servers.at(server));
    counts.at(i) = one.at(1).get<std::int64_t>();
  }
}

std::int64_t GangStates::most_steps() const { return *std::max_element(counts.begin(), counts.end()); }

}  // namespace dlrun::train
