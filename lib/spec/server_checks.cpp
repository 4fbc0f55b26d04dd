// SPDX-License-Identifier: Apache-2.0
// No server of a gang stands idle: there are as many parts of the model as servers.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "parallel/sharding.hpp"
#include "recipe/layers.hpp"
#include "spec/trial_section.hpp"
#include "util/error.hpp"

namespace dlrun::spec {

namespace {

const std::string kServers = "trial.parallel.servers";

/// Servers that a part of the model is given to.
std::size_t used_servers(const model::Graph& graph, const parallel::Sharding& sharding) {
  std::set<int> used;
  for (const parallel::Shard& shard : parallel::shards_of(recipe::layers_of(graph), sharding)) {
    if (shard.size() > 0) used.insert(shard.server);
  }
  return used.size();
}

/// A trial's cut of its model, or the model itself, is searched.
bool may_vary(const Json& space) {
  return std::any_of(space.begin(), space.end(), [](const Json& parameter) {
    const std::string at = parameter["at"].is_string() ? parameter["at"].get<std::string>() : "";
    const bool is_of_cut = at == "parallel.sharding" || at == "parallel.servers" || at == "parallel.shard_bytes";
    return parameter["at"].is_null() || is_of_cut || at == "parallel" || at.starts_with("model");
  });
}

}  // namespace

void check_servers(const Json& trial, const Json& space, const dataset::Schema& schema, Faults& faults) {
  const Json gang = trial.value("parallel", Json());
  if (!gang.is_object() || faults.is_bad("trial.parallel") || faults.is_bad("trial.model") || may_vary(space)) return;
  const Json servers = gang.value("servers", Json());
  if (!faults.was_written(kServers) || !servers.is_number_integer()) return;
  parallel::Sharding sharding{.by = gang.value("sharding", "none"), .servers = servers.get<int>()};
  sharding.most_bytes = gang.value("shard_bytes", sharding.most_bytes);
  if (sharding.by == "none") return;
  std::vector<model::ModelError> none;
  const model::Graph graph = model::build(trial.at("model"), interface_of(schema, trial), &none);
  if (!none.empty()) return;
  const std::size_t used = used_servers(graph, sharding);
  if (used < std::size_t(*sharding.servers))
    faults.at(kServers,
              fmt::format("the model has parts for {} servers, {} would stand idle", used,
                          std::size_t(*sharding.servers) - used),
              fmt::format("write servers: {}", used));
}

}  // namespace dlrun::spec
