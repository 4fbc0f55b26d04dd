// SPDX-License-Identifier: Apache-2.0
// Ablations that a program proposes: what it is told, what of its reply is accepted, and why the rest is not.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "spec/ablation_variants.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::spec {

struct ProposalOptions {
  std::string program;  ///< its words, as they stand in the study afterwards
  std::string goal;     ///< what a person wants to know; may be empty
  int rounds = 2;       ///< how often the program is asked; after the first time only where something was rejected
};

/// A request (JSON) to a reply (YAML).
using AskProposer = std::function<std::string(const std::string& request)>;

struct Rejected {
  std::string id;       ///< as it was proposed; "#3" where the third has none
  std::string code;     ///< of the rule that it breaks
  std::string message;  ///< what is wrong, and what would be right
};

struct Proposed {
  std::string yaml;  ///< `ablation:` of what was accepted, which can be run
  std::size_t accepted = 0;
  std::vector<Rejected> rejected;  ///< in the last round, or what no later one took up
};

/// @throws Error(usage) where a reply is no YAML list of components; whatever `ask` throws
Proposed proposed(const Baseline& baseline, const CheckStudy& check, const ProposalOptions& options,
                  const AskProposer& ask);

/// The same of a study file. @throws SpecError where it has faults
Proposed propose_ablation(const Source& source, const ProposalOptions& options, const AskProposer& ask);

}  // namespace dlrun::spec
