// SPDX-License-Identifier: Apache-2.0
// Costs of one epoch of a trial whose ranks train together. Telemetry: no decision and no result rests on it.
#pragma once
#include <cstdint>
#include <vector>

#include "util/json.hpp"
#include "util/json_view.hpp"

namespace dlrun::trial {

/// A rank, or a server with all its shards.
struct GangNode {
  bool is_server = false;
  int number = 0;                                                     ///< among the ranks, or the servers
  std::int64_t gradients = 0;                                         ///< computed
  double computing = 0, applying = 0, transferring = 0, waiting = 0;  ///< seconds; all of the epoch's
  double sent = 0, received = 0;                                      ///< bytes
  std::int64_t updates = 0;                                           ///< updates of a rank whose staleness is known
  double staleness = 0;                                               ///< mean over them
  std::int64_t most_stale = 0;
  bool operator==(const GangNode&) const = default;
};

struct GangReport {
  std::int64_t epoch = 0;
  bool is_virtual = true;  ///< seconds are of the virtual cluster, the same in every run; else measured
  std::vector<GangNode> nodes;
  bool operator==(const GangReport&) const = default;
};

Json to_json(const GangReport& report);
/// @throws JsonFault
GangReport gang_report(const JsonView& json);

}  // namespace dlrun::trial
