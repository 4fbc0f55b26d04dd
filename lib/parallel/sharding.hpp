// SPDX-License-Identifier: Apache-2.0
// Cuts a model into the shards of a parameter server, and into the buckets in which gradients are summed.
#pragma once
#include <optional>
#include <string>

#include "parallel/layers.hpp"
#include "parallel/shards.hpp"

namespace dlrun::parallel {

/// Settings of a model's cut; the keys are those of `parallel:`.
struct Sharding {
  /// none: one server has the whole model. layer: every layer has one server, and servers have about as many bytes
  /// (Ko et al. 2021, as TensorFlow). memory: shards have at most `most_bytes`, and larger layers are cut (Ko et al.,
  /// ALADDIN).
  std::string by = "none";
  std::optional<int> servers;  ///< none given: as many as the ranks have hosts, which the caller knows; here one
  double most_bytes = 4e6;     ///< memory: never more than model / servers; also the least size of a bucket
  /// A layer's gradient is sent once the backward pass has made it (wait-free backpropagation), not after the pass.
  bool is_wait_free = false;
};

/// Shards in the order of the flat weights, each with its server.
std::vector<Shard> shards_of(const std::vector<Layer>& layers, const Sharding& sharding);

/// Stretches that are summed one by one, in the order in which the backward pass makes them; one, unless wait-free.
std::vector<Shard> buckets_of(const std::vector<Layer>& layers, const Sharding& sharding);

/// Positions of shards in the order in which the backward pass makes them.
std::vector<int> order_of(const std::vector<Shard>& shards);

}  // namespace dlrun::parallel
