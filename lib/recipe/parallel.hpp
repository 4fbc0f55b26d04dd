// SPDX-License-Identifier: Apache-2.0
// `parallel:` and `cluster:` of a trial: several ranks that train one model, and the machines they run on.
#pragma once
#include <optional>

#include "options/key.hpp"
#include "parallel/cluster.hpp"
#include "parallel/gang.hpp"

namespace dlrun::recipe {

struct ParallelConfig {
  parallel::ParallelConfig gang;
  parallel::ClusterConfig cluster;
};

options::Key parallel_key();
options::Key cluster_key();

/// None if one machine trains alone.
/// @throws Error(usage) for a value out of its range, naming its place
std::optional<ParallelConfig> read_parallel(const Json& trial);

/// Processes of a gang, its servers' too; 0: one process plays all, or there is one rank alone.
int processes_of(const ParallelConfig& config);

/// Whether a virtual cluster's description has losses of ranks.
bool loses_ranks(const Json& cluster);

/// Whether it is a method whose ranks do not take their steps together: results depend on who is faster.
bool is_out_of_step(const std::string& op);

/// For fingerprints: part of the store's format. Settings of later versions are left out where they are at rest.
Json to_json(const ParallelConfig& config);

}  // namespace dlrun::recipe
