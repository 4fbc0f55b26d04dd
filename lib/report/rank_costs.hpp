// SPDX-License-Identifier: Apache-2.0
// Time, bytes and staleness of the ranks and servers of a trial, as numbers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/opened.hpp"

namespace dlrun::report {

/// A rank or a server, over the epochs and members of its trial. The four times are all of its time (docs/parallel.md).
struct RankCosts {
  bool is_server = false;
  std::int64_t number = 0;
  bool is_virtual = false;                                            ///< time of the virtual cluster; else measured
  std::int64_t gradients = 0;                                         ///< computed
  double computing = 0, applying = 0, transferring = 0, waiting = 0;  ///< seconds
  double sent = 0, received = 0;                                      ///< bytes
  std::optional<double> staleness, most_stale;                        ///< mean and most of its updates

  std::string name() const;  ///< "rank 3"
  double seconds() const { return computing + applying + transferring + waiting; }
};

/// Trials that have them, by number. REQUIRES: has_ranks().
std::vector<std::int64_t> trials_with_ranks(const OpenedStudy& study);

/// Ranks first, each by number; none: the trial's ranks left no costs. REQUIRES: has_ranks().
std::vector<RankCosts> rank_costs(const OpenedStudy& study, std::int64_t trial);

}  // namespace dlrun::report
