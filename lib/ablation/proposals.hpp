// SPDX-License-Identifier: Apache-2.0
// Ablations that a program proposes: requests, accepted components, and reasons why others are rejected.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ablation/baseline.hpp"

namespace dlrun::ablation {

struct ProposalOptions {
  std::string program;  ///< words of its command, as they stand in the study afterwards
  std::string goal;     ///< question of a person; may be empty
  int rounds = 2;       ///< requests at most; a further one is sent only if something was rejected
};

/// A request (JSON) to a reply (YAML).
using AskProposer = std::function<std::string(const std::string& request)>;

struct Rejected {
  std::string id;       ///< as it was proposed; "#3" if the third has none
  std::string code;     ///< broken rule
  std::string message;  ///< the fault and its remedy
};

struct Proposed {
  std::string yaml;  ///< `ablation:` with the accepted components, which can be run
  std::size_t accepted = 0;
  std::vector<Rejected> rejected;  ///< in the last round, or in one before and not proposed again
};

/// @throws document::DocumentError for a reply that is no YAML list of components; whatever `ask` throws
Proposed proposed(const Baseline& baseline, const ProposalOptions& options, const AskProposer& ask);

}  // namespace dlrun::ablation
