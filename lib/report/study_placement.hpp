// SPDX-License-Identifier: Apache-2.0
// The placement of a study's model, computed anew from what the store keeps: the study's spec holds all that decides
// it.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "recipe/device_plan.hpp"
#include "report/opened.hpp"

namespace dlrun::report {

struct StudyPlacement {
  recipe::PlacedModel placed;
  std::optional<std::int64_t> trial;  ///< the best one, whose settings count; nullopt: the study's own settings
  bool is_measured = false;           ///< costs of layers come from a profile; else they are estimated

  /// "greedy along topo; a simulated step takes 1.2 ms, on one device 2 ms (costs estimated)"
  std::string text() const;
};

/// A placement, or the reason why there is none.
struct PlacementOrReason {
  std::shared_ptr<const StudyPlacement> placement;
  std::string reason = {};
};

/// The same that trials computed with, and that `dlrun check` says. Computed once in a Snapshot.
PlacementOrReason study_placement(const OpenedStudy& study);

}  // namespace dlrun::report
