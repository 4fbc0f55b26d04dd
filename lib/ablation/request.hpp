// SPDX-License-Identifier: Apache-2.0
// Request to a proposer of ablations (protocol dlrun-suggest/1): structure and settings. No names of files or hosts, no
// data.
#pragma once
#include <string>

#include "ablation/baseline.hpp"

namespace dlrun::ablation {

inline constexpr std::size_t kMostProposals = 64;  ///< components of one reply

/// {protocol, goal, objective, budget, model, features, train, allowed_ops, component, reply}.
/// @param goal  question of a person; may be empty
Json proposal_request(const Baseline& baseline, const std::string& goal);

/// Whether a proposal may change this place of the trial, "optimizer.momentum": those that the request shows.
bool is_open_to_proposals(const std::string& place);

}  // namespace dlrun::ablation
