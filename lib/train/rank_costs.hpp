// SPDX-License-Identifier: Apache-2.0
// Costs of a gang's epoch, by rank and server, from all processes that play its nodes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "parallel/backend.hpp"
#include "parallel/gang.hpp"
#include "trial/gang_report.hpp"
#include "util/json.hpp"

namespace dlrun::train {

struct RankCosts {
  std::vector<parallel::Cost> processes;       ///< in their order
  std::vector<parallel::Staleness> staleness;  ///< by the rank's process; of some nodes only, until add()

  /// Costs of the processes that a backend plays, after its epoch.
  static RankCosts of(const parallel::Gang& gang, const parallel::Members<float>& members,
                      const parallel::Backend& backend);
  /// Adds the costs of other processes, or of another part of the epoch.
  void add(const RankCosts& other);
  /// Whether some process has computed a gradient.
  bool has_computed() const;

  Json to_json() const;
  /// @throws Json::exception
  static RankCosts from_json(const Json& json);
};

/// Begins to count anew what nodes know of staleness.
void begin_staleness(parallel::Members<float>& members);

trial::GangReport report_of(const RankCosts& costs, int ranks, std::int64_t epoch, bool is_virtual);

/// In words, for the log of a trial whose ranks are processes. @param elapsed  seconds with the exchange of states
std::string text_of(const RankCosts& costs, int ranks, std::int64_t epoch, double elapsed);

}  // namespace dlrun::train
