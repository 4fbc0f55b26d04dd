// SPDX-License-Identifier: Apache-2.0
// Agenda of a study: requests of people that no decision has served yet.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "study/types.hpp"

namespace dlrun::study {

/// Requests of each kind, oldest first.
struct Agenda {
  std::deque<trial::TrialId> retries;  ///< failed trials to try again
  std::deque<space::Values> points;    ///< values of the next trials; unset ones are chosen by the sampler
  std::deque<Amended> amendments;      ///< versions of the spec that have not taken effect
  std::int64_t enqueued = 0;           ///< points that people added, beyond the limit of trials

  explicit Agenda(const std::vector<space::Values>& first = {}) : points(first.begin(), first.end()) {}

  bool has_retry(trial::TrialId trial) const {
    return std::find(retries.begin(), retries.end(), trial) != retries.end();
  }
  bool has_point(const space::Values& values) const {
    return std::find(points.begin(), points.end(), values) != points.end();
  }
  /// An amendment has added parameters: they are unset in all points.
  void widen(std::size_t parameters) {
    for (space::Values& values : points) values.resize(std::max(values.size(), parameters));
  }
};

}  // namespace dlrun::study
