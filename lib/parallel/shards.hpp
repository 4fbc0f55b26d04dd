// SPDX-License-Identifier: Apache-2.0
// Stretches of the flat weights: the shards of a parameter server, the chunks of a collective.
#pragma once
#include <cstddef>
#include <vector>

namespace dlrun::parallel {

struct Shard {
  std::size_t begin = 0, end = 0;  ///< numbers of the flat weights; both 0 in timing mode
  double share = 1;                ///< part of the model's bytes
  int server = 0;                  ///< keeper: shards of one server share its host and its processor
  double ready = 1;                ///< part of a gradient's time after which the shard's gradient may be sent

  std::size_t size() const { return end - begin; }
};

/// Neighbouring stretches of nearly equal length, `count` of them, of what has this share of the model's bytes.
inline std::vector<Shard> equal_shards(std::size_t size, int count, double share = 1) {
  std::vector<Shard> shards;
  const auto at = [&](int i) { return size * std::size_t(i) / std::size_t(count); };
  for (int i = 0; i < count; ++i) shards.push_back({at(i), at(i + 1), share / count});
  return shards;
}

}  // namespace dlrun::parallel
