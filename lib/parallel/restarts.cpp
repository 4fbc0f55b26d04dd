// SPDX-License-Identifier: Apache-2.0
#include "parallel/restarts.hpp"

#include <tuple>

#include <fmt/format.h>

#include "parallel/gang.hpp"
#include "util/error.hpp"

namespace dlrun::parallel {

namespace {

constexpr std::int64_t kMostAttempts = 1000;

/// States without weights, whose clocks and counts are those of `states`.
Members<float> timed_members(const Gang& timed, const Algorithm<float>& algorithm, const Members<float>& states) {
  Members<float> members = members_of<float>(timed, algorithm, {});
  for (std::size_t i = 0; i < members.ranks.size(); ++i) {
    const Rank<float>& from = states.ranks[i];
    Rank<float>& rank = members.ranks[i];
    std::tie(rank.clock, rank.pulled, rank.waits, rank.weight) =
        std::tie(from.clock, from.pulled, from.waits, from.weight);
  }
  for (std::size_t i = 0; i < members.servers.size(); ++i) {
    const Server<float>& from = states.servers[i];
    Server<float>& server = members.servers[i];
    std::tie(server.clock, server.pending_count, server.counts) = std::tie(from.clock, from.pending_count, from.counts);
  }
  return members;
}

}  // namespace

Restarts restarts(const Gang& timed, const Algorithm<float>& algorithm, const Members<float>& states,
                  VirtualCluster<float>::Options options, const Deal& deal) {
  Restarts all;
  const double began = options.began;
  options.losing = Losing::any;
  while (all.count < kMostAttempts) {
    options.began = began + all.seconds;
    Members<float> members = timed_members(timed, algorithm, states);
    VirtualCluster<float> cluster(timed, algorithm, members, nullptr, options);
    cluster.begin(deal);
    try {
      while (cluster.advance()) continue;
      return all;
    } catch (const RankLost& lost) {
      const Wait wait = wait_after(options.cluster, timed, options.began, {lost.process, cluster.now()});
      all.count += wait.losses;
      all.seconds += cluster.now() + wait.seconds;
      all.bytes += cluster.bytes();
    }
  }
  throw Error(ErrorKind::usage,
              fmt::format("ranks of the virtual cluster fail too often: an epoch was begun {} times and did not end",
                          kMostAttempts),
              "raise cluster.mtbf, or write on_loss: elastic");
}

}  // namespace dlrun::parallel
