// SPDX-License-Identifier: Apache-2.0
// Placements of a study's model on parts of this machine, predicted and really computed.
#pragma once
#include <vector>

#include "placement/portfolio.hpp"
#include "report/report.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::cli {

/// The study as one device trains it.
spec::StudySpec unplaced(spec::StudySpec spec);

struct Profiled {
  const spec::StudySpec& spec;
  const placement::Graph& busy;  ///< layers timed while the other devices compute
  const placement::Graph& idle;  ///< layers timed alone
  const placement::Cluster& cluster;
};

/// Trains some steps by the two fastest placements, the slowest one and one device, and compares forward and backward
/// with the simulation: where several devices compute by the busy profile, and by the idle one.
report::Table real_steps(const Profiled& profiled, const std::vector<placement::Found>& found);

}  // namespace dlrun::cli
