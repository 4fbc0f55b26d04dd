// SPDX-License-Identifier: Apache-2.0
// The outputs of a trial's model with what belongs to each: target, loss, metrics. The check of a study and the
// training read this one list.
#pragma once
#include <string>
#include <vector>

#include "dataset/dataset.hpp"
#include "model/graph.hpp"
#include "recipe/loss.hpp"

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

/// An output of the model, what it is compared with and by what.
struct OutputConfig {
  std::string name;                  ///< empty: the only one, without a name
  std::string target;                ///< target of the data, if its targets have names
  bool is_auxiliary = false;         ///< used in training only: never measured
  LossConfig loss;                   ///< with its weight in the sum over the outputs
  std::vector<std::string> metrics;  ///< names of metric_kinds(), beside the loss
};

/// The outputs with their losses and metrics, in the order of outputs_of.
/// @throws Error(usage) for a target that the data does not have, or what does not fit the data
std::vector<OutputConfig> read_outputs(const Json& trial, const dataset::Schema& data);

/// Facts of the data, and of the losses, that shapes of the model depend on.
model::Interface interface_of(const dataset::Schema& schema, const Json& trial);

}  // namespace dlrun::recipe
