// SPDX-License-Identifier: Apache-2.0
// Settings of `parallel:` and what follows from them.
#pragma once
#include <string>

#include "parallel/algorithm.hpp"
#include "parallel/cluster.hpp"
#include "parallel/codecs/codecs.hpp"
#include "parallel/sharding.hpp"
#include "parallel/vectors.hpp"

namespace dlrun::parallel {

struct ParallelConfig {
  Method method = Bsp();
  int ranks = 1;
  Sharding sharding;  ///< cut for a parameter server
  int aggregate = 1;  ///< neighbouring ranks, as a rule of one host, that sum gradients before a send (bsp)
  Codec codec;        ///< for methods that send gradients
  std::string on_loss = "restart";  ///< restart | elastic; of a rank's process
  std::string lr_scale = "auto";    ///< auto | linear | sqrt | none
};

/// Gradients that make a round of so many ranks.
int counted_ranks(const Method& method, int ranks);

/// Factor of the learning rate. `auto` is linear for methods whose ranks are averaged at every step or every few, and
/// none for those that are averaged rarely: such ranks run alone, and would do so at n times their rate.
double rate_of(const ParallelConfig& config);

/// Whether all ranks' mean gradient is the one that weights move by. `lr_scaling` by gains needs that.
bool steps_by_mean(const Method& method);

bool has_server(const Method& method);

/// Whether ranks, or servers, move weights by an optimiser of their own, and so keep its state.
bool ranks_step(const Method& method);
bool servers_step(const Method& method);

/// @param layers  in the order of the flat weights
Gang gang_of(const ParallelConfig& config, const std::vector<Layer>& layers);

/// States of a gang whose nodes all begin with these weights.
template <class Real>
Members<Real> members_of(const Gang& gang, const Algorithm<Real>& algorithm, const std::vector<Real>& weights) {
  Members<Real> members;
  members.ranks.resize(std::size_t(gang.ranks));
  for (Rank<Real>& rank : members.ranks) rank.weights = weights;
  for (const Shard& shard : gang.shards) {
    Server<Real>& server = members.servers.emplace_back();
    server.shard = shard;
    server.weights = slice(weights, shard);
    server.staleness = StalenessTally(gang.ranks);
  }
  algorithm.begin(gang, members);
  begin_codec(gang, members);
  return members;
}

}  // namespace dlrun::parallel
