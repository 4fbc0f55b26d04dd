// SPDX-License-Identifier: Apache-2.0
// Names of trials of other studies, as people write them: "digits/17".
#pragma once
#include <optional>
#include <string>

#include "trial/trial.hpp"

namespace dlrun::trial {

struct TrialName {
  std::string study;
  TrialId trial;
};

/// nullopt: the text names no trial.
std::optional<TrialName> trial_name(const std::string& text);

}  // namespace dlrun::trial
