// SPDX-License-Identifier: Apache-2.0
// Suggestions of components that could be left out, each with the reason: blocks, branches and layers, norms and
// dropout, columns, settings that are not needed to train.
#pragma once
#include <string>
#include <vector>

#include "ablation/baseline.hpp"

namespace dlrun::ablation {

struct Suggestion {
  Json component;      ///< as a person would write it
  std::string reason;  ///< "a residual block; 1,168 parameters"
};

/// Components that can be left out, and whose variants differ from the baseline and from one another. The order is that
/// of the model, then of the data, then of the settings.
std::vector<Suggestion> suggestions(const Baseline& baseline);

/// `ablation:` with the suggestions, which can be run; each reason is a comment.
std::string to_yaml(const std::vector<Suggestion>& suggestions);

}  // namespace dlrun::ablation
