// SPDX-License-Identifier: Apache-2.0
#include "parallel/restarts.hpp"

#include <fmt/format.h>

#include "parallel/gang.hpp"
#include "util/error.hpp"

namespace dlrun::parallel {

namespace {

constexpr std::int64_t kMostAttempts = 1000;

}  // namespace

Restarts restarts(const Gang& timed, const Algorithm<float>& algorithm, VirtualCluster<float>::Options options,
                  const Deal& deal) {
  Restarts all;
  const double began = options.began;
  options.losing = Losing::any;
  while (all.count < kMostAttempts) {
    options.began = began + all.seconds;
    Members<float> members = members_of<float>(timed, algorithm, {});
    VirtualCluster<float> cluster(timed, algorithm, members, nullptr, options);
    cluster.begin(deal);
    try {
      while (cluster.advance()) continue;
      return all;
    } catch (const RankLost&) {
      ++all.count;
      all.seconds += cluster.now() + options.cluster.restart;
      all.bytes += cluster.bytes();
    }
  }
  throw Error(ErrorKind::usage,
              fmt::format("ranks of the virtual cluster fail too often: an epoch was begun {} times and did not end",
                          kMostAttempts),
              "raise cluster.mtbf, or write on_loss: elastic");
}

}  // namespace dlrun::parallel
