// SPDX-License-Identifier: Apache-2.0
// Epochs that several members have in common, as a forest.
#pragma once
#include <cstdint>
#include <vector>

#include "spec/prefix.hpp"

namespace dlrun::spec {

/// Epochs from..to that some members train the same, after the same epochs before.
struct Stage {
  std::int64_t from = 0, to = 0;
  std::vector<std::size_t> members;  ///< ascending
  int depth = 0;                     ///< stages before it
  bool is_end = false;               ///< no node branches off from it
};

/// The stage tree of Hippo (Shin et al., arXiv:2006.11972, 3.2); of members that share nothing, a forest.
struct StageForest {
  std::vector<Stage> stages;  ///< each before those that go on from it; siblings by their lowest member
  std::int64_t alone = 0;     ///< epochs, each member by itself
  std::int64_t together = 0;  ///< epochs, each stage once

  double times_fewer() const { return together > 0 ? double(alone) / double(together) : 1; }
};

/// @param epochs  of each member, also of those whose prefix is empty because they share nothing
StageForest stage_forest(const std::vector<Prefix>& members, std::int64_t epochs);

/// The forest of a planned search, for the first replicate and fold of each trial; all others have the same.
StageForest stage_forest(const StudySpec& spec, const std::vector<space::Values>& trials);

}  // namespace dlrun::spec
