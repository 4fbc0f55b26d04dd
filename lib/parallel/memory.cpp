// SPDX-License-Identifier: Apache-2.0
#include "parallel/memory.hpp"

#include <algorithm>
#include <cstdint>

#include "parallel/codecs/codecs.hpp"
#include "parallel/codecs/powersgd.hpp"

namespace dlrun::parallel {

namespace {

/// Copies of the weights beside them. Rank and Server name each.
struct Copies {
  int rank = 0;     ///< kept from epoch to epoch
  int working = 0;  ///< copies that a rank has for some steps
  int server = 0;   ///< kept, of a server's own weights
};

template <class Other>
Copies beside(const Other&) {
  return {};
}
template <>
Copies beside(const DiLoCo&) {
  return {.rank = 2};  // where the ranks parted; the outer optimiser's velocity
}
template <>
Copies beside(const Aladdin&) {
  return {.working = 1, .server = 1};  // changes that wait for receipts; gathered changes
}
template <>
Copies beside(const AdPsgd&) {
  return {.working = 1};  // weights as they were sent
}
template <>
Copies beside(const Sgp&) {
  return {.working = 1};  // where the gradient is taken
}

/// A rank of ssp that knows answers by their changes keeps the weights as the server has them.
Copies beside_weights(const ParallelConfig& config) {
  Copies copies = std::visit([](const auto& method) { return beside(method); }, config.method);
  const Ssp* const ssp = std::get_if<Ssp>(&config.method);
  if (ssp != nullptr && ssp->read == "on_stale" && std::holds_alternative<Dgc>(config.codec)) ++copies.rank;
  return copies;
}

double basis_bytes(const Codec& codec, const Gang& gang) {
  const PowerSgd* const thin = std::get_if<PowerSgd>(&codec);
  return thin != nullptr && thin->warm_start ? kNumber * double(basis_size(gang, *thin)) : 0;
}

/// Ranks with dgc keep the momentum in a server's place.
int server_slots(const ParallelConfig& config, int slots) {
  const Dgc* const dgc = std::get_if<Dgc>(&config.codec);
  const bool has_momentum = dgc != nullptr && dgc->momentum > 0;
  return servers_step(config.method) && !has_momentum ? slots : 0;
}

/// Messages that a server keeps until their round is over.
int round_of(const ParallelConfig& config) {
  const Bsp* const bsp = std::get_if<Bsp>(&config.method);
  return bsp != nullptr && bsp->drop_slowest > 0 ? std::max(1, config.ranks - bsp->drop_slowest) : 0;
}

/// A server sums gradients, or steps by one; of each number, one with dgc also knows when it changed.
double server_working(const ParallelConfig& config, double own) {
  const bool has_sum = servers_step(config.method) || std::holds_alternative<Bsp>(config.method);
  const bool has_clocks = std::holds_alternative<Dgc>(config.codec);
  return (has_sum ? own : 0) + round_of(config) * own + (has_clocks ? own * sizeof(std::int64_t) / kNumber : 0);
}

}  // namespace

double GangMemory::kept(int ranks) const {
  double sum = double(ranks) * rank.kept();
  for (const NodeMemory& server : servers) sum += server.kept();
  return sum;
}

GangMemory memory_of(const ParallelConfig& config, const Gang& gang, int slots) {
  const Copies copies = beside_weights(config);
  const double bytes = kNumber * double(gang.size);
  GangMemory memory;
  memory.rank = {.weights = bytes,
                 .optimizer = ranks_step(config.method) ? slots * bytes : 0,
                 .method = copies.rank * bytes,
                 .codec = copies_of(config.codec) * bytes + basis_bytes(config.codec, gang),
                 .working = (1 + copies.working) * bytes};
  for (const Shard& shard : gang.shards) {
    const auto number = std::size_t(shard.server);
    if (memory.servers.size() <= number) memory.servers.resize(number + 1);
    const double own = kNumber * double(shard.size());
    NodeMemory& server = memory.servers[number];
    server.weights += own;
    server.optimizer += server_slots(config, slots) * own;
    server.method += copies.server * own;
    server.working += server_working(config, own);
  }
  return memory;
}

}  // namespace dlrun::parallel
