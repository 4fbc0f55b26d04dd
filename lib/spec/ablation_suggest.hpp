// SPDX-License-Identifier: Apache-2.0
// What could be left out of a trial, each with the reason: blocks, branches and layers, norms and dropout, columns,
// settings that are not needed to train.
#pragma once
#include <string>
#include <vector>

#include "spec/ablation_section.hpp"

namespace dlrun::spec {

struct Suggestion {
  Json component;      ///< as a person would write it
  std::string reason;  ///< "a residual block; 1,168 parameters"
};

/// Those that can be built, and differ from the baseline and from one another. The order is that of the model, then
/// of the data, then of the settings.
/// @param study  normal form  @param root  without_search() of its document
std::vector<Suggestion> suggestions(const Json& study, const document::Node& root, const CheckStudy& check);

/// As an `ablation:` that can be run, each reason as a comment.
std::string to_yaml(const std::vector<Suggestion>& suggestions);

}  // namespace dlrun::spec
