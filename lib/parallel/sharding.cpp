// SPDX-License-Identifier: Apache-2.0
#include "parallel/sharding.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dlrun::parallel {

namespace {

/// One shard for each layer, with the time at which a wait-free backward pass has made it.
std::vector<Shard> whole_layers(const std::vector<Layer>& layers) {
  double bytes = 0, later = 0;
  for (const Layer& layer : layers) bytes += layer.bytes;
  for (const Layer& layer : layers) later += layer.backward;
  const double all = later;
  std::vector<Shard> shards;
  std::size_t begin = 0;
  for (const Layer& layer : layers) {
    const double share = bytes > 0 ? layer.bytes / bytes : 1.0 / double(layers.size());
    shards.push_back({begin, begin + layer.size, share, 0, kForward + (1 - kForward) * later / all});
    begin += layer.size;
    later -= layer.backward;
  }
  shards.front().ready = 1;  // exactly
  return shards;
}

Shard together(const Shard& a, const Shard& b) {
  return {a.begin, b.end, a.share + b.share, a.server, std::max(a.ready, b.ready)};
}

/// Cuts layers of more than `most` of the model into equal parts.
std::vector<Shard> cut(const std::vector<Shard>& layers, double most) {
  std::vector<Shard> parts;
  for (const Shard& layer : layers) {
    const int count = std::max(1, int(std::ceil(layer.share / most - 1e-9)));
    for (Shard part : equal_shards(layer.size(), count, layer.share)) {
      part.begin += layer.begin;
      part.end += layer.begin;
      part.ready = layer.ready;
      parts.push_back(part);
    }
  }
  return parts;
}

/// Joins neighbours as long as they have at most `most` of the model.
std::vector<Shard> join(const std::vector<Shard>& parts, double most) {
  std::vector<Shard> joined;
  for (const Shard& part : parts) {
    const bool fits = !joined.empty() && joined.back().share + part.share <= most * (1 + 1e-9);
    if (fits) joined.back() = together(joined.back(), part);
    if (!fits) joined.push_back(part);
  }
  return joined;
}

/// Gives the largest shard that is left to the server that has the least.
void assign(std::vector<Shard>& shards, int servers) {
  std::vector<std::size_t> order(shards.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shards[a].share > shards[b].share; });
  std::vector<double> load(std::size_t(servers), 0);
  for (const std::size_t i : order) {
    const auto least = std::min_element(load.begin(), load.end());
    shards[i].server = int(least - load.begin());
    *least += shards[i].share;
  }
}

/// Without overlap neighbours of one server travel in one message, after the backward pass.
std::vector<Shard> join_by_server(const std::vector<Shard>& shards) {
  std::vector<Shard> joined;
  for (const Shard& shard : shards) {
    const bool fits = !joined.empty() && joined.back().server == shard.server;
    if (fits) joined.back() = together(joined.back(), shard);
    if (!fits) joined.push_back(shard);
    joined.back().ready = 1;
  }
  return joined;
}

/// most_bytes as a share of the model, or `otherwise` if nobody knows the model's bytes.
double share_of(const std::vector<Layer>& layers, double most_bytes, double otherwise) {
  double bytes = 0;
  for (const Layer& layer : layers) bytes += layer.bytes;
  return bytes > 0 ? most_bytes / bytes : otherwise;
}

}  // namespace

std::vector<Shard> shards_of(const std::vector<Layer>& layers, const Sharding& sharding) {
  std::vector<Shard> shards = whole_layers(layers);
  const int servers = sharding.by == "none" ? 1 : sharding.servers.value_or(1);
  if (sharding.by == "memory") {
    const double even = 1.0 / servers, most = std::min(even, share_of(layers, sharding.most_bytes, even));
    shards = join(cut(shards, most), most);
  }
  assign(shards, servers);
  if (!sharding.is_wait_free) shards = join_by_server(shards);
  if (shards.size() == 1) shards.front().share = 1;  // exactly
  return shards;
}

std::vector<Shard> buckets_of(const std::vector<Layer>& layers, const Sharding& sharding) {
  const double least = sharding.is_wait_free ? share_of(layers, sharding.most_bytes, 0) : 2;
  std::vector<Shard> made = whole_layers(layers), buckets;
  std::reverse(made.begin(), made.end());
  for (const Shard& layer : made) {
    const bool fits = !buckets.empty() && buckets.back().share < least * (1 - 1e-9);
    if (fits) buckets.back() = together(layer, buckets.back());
    if (!fits) buckets.push_back(layer);
  }
  if (buckets.size() == 1) buckets.front().share = 1;  // exactly
  return buckets;
}

std::vector<int> order_of(const std::vector<Shard>& shards) {
  std::vector<int> order(shards.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return shards[std::size_t(a)].ready < shards[std::size_t(b)].ready; });
  return order;
}

}  // namespace dlrun::parallel
