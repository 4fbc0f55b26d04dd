// SPDX-License-Identifier: Apache-2.0
// The outputs of a trial's model with what belongs to each: target, loss, metrics. The check of a study and the
// training read this one list.
#pragma once
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::recipe {

struct OutputSection {
  std::string name;           ///< empty: the model names none, it has one
  std::string target;         ///< target of the data, by default the output's own name
  bool is_auxiliary = false;  ///< used in training only
  Json loss, metrics;         ///< as written; null: none

  /// "trial.loss.species", or "trial.loss" where there is no name.
  std::string place(const std::string& section) const { return "trial." + section + (name.empty() ? "" : "." + name); }
};

/// By name, ascending; at least one. What has another form than it should is as if it were not there.
std::vector<OutputSection> outputs_of(const Json& trial);
/// Whether the model names its outputs.
bool has_outputs(const Json& trial);

}  // namespace dlrun::recipe
