// SPDX-License-Identifier: Apache-2.0
// Epochs that trials have in common, as `dlrun check` says it.
#pragma once
#include <optional>
#include <string>

#include "report/report.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::plan {

struct StagePlan {
  std::string summary;  ///< "24 trials: 79 epochs instead of 240, 3.04x fewer"
  report::Table tree;
};

/// Plan of a search whose trials are known beforehand and share something; nullopt for any other.
std::optional<StagePlan> stage_plan(const spec::StudySpec& spec);

}  // namespace dlrun::plan
