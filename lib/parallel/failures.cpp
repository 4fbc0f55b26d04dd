// SPDX-License-Identifier: Apache-2.0
#include "parallel/failures.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include <fmt/format.h>

#include "parallel/streams.hpp"

namespace dlrun::parallel {

namespace {

/// The first failure of the process in an epoch that never ends. Failures remember nothing, so each begin of an epoch
/// has a draw of its own.
double drawn_failure(double mtbf, int process, const Era& era) {
  const std::string name = fmt::format("{}/{:016x}", era.name, std::bit_cast<std::uint64_t>(era.began));
  RandomStream random = stream_of(era.seed, name, "failures", process);
  return exponential(random, mtbf);
}

constexpr double kInstant = 1e-9;  // seconds: more than sums of times are rounded by

void keep_first(std::optional<Loss>& first, const Loss& loss) {
  if (!first || loss.at < first->at) first = loss;
}

}  // namespace

std::optional<Loss> first_loss(const ClusterConfig& config, const Gang& gang, const Era& era, Losing losing) {
  std::optional<Loss> first;
  for (int rank = 0; losing != Losing::none && rank < gang.ranks; ++rank) {
    const int process = gang.process_of(rank);
    if (losing == Losing::others && process == 0) continue;
    if (config.mtbf) keep_first(first, {process, drawn_failure(*config.mtbf, process, era)});
    for (const Failure& failure : config.failures) {
      if (failure.rank == process && failure.at >= era.began) keep_first(first, {process, failure.at - era.began});
    }
  }
  return first;
}

Wait wait_after(const ClusterConfig& config, const Gang& gang, double began, const Loss& loss) {
  Wait wait{config.restart, 1};
  std::map<int, double> back_after{{loss.process, config.restart}};  // seconds after the loss
  std::vector<Failure> named = config.failures;
  std::ranges::stable_sort(named, {}, &Failure::at);
  for (const Failure& failure : named) {
    const double after = std::max(0.0, failure.at - began - loss.at);
    if (failure.rank >= gang.ranks || failure.at < began || after > wait.seconds + kInstant) continue;
    double& back = back_after[failure.rank];
    if (back > after + kInstant) continue;
    back = after + config.restart;
    wait.seconds = std::max(wait.seconds, back);
    ++wait.losses;
  }
  return wait;
}

}  // namespace dlrun::parallel
