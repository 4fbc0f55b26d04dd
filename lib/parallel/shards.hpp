// SPDX-License-Identifier: Apache-2.0
// Stretches of the flat weights: the shards of a parameter server, the chunks of a collective.
#pragma once
#include <cstddef>
#include <vector>

namespace dlrun::parallel {

struct Shard {
  std::size_t begin = 0, end = 0;  ///< numbers of the flat weights; both 0 in timing mode
  double share = 1;                ///< part of the model's bytes

  std::size_t size() const { return end - begin; }
};

/// Neighbouring stretches of nearly equal length, `count` of them.
inline std::vector<Shard> equal_shards(std::size_t size, int count) {
  std::vector<Shard> shards;
  const auto at = [&](int i) { return size * std::size_t(i) / std::size_t(count); };
  for (int i = 0; i < count; ++i) shards.push_back({at(i), at(i + 1), 1.0 / count});
  return shards;
}

}  // namespace dlrun::parallel
