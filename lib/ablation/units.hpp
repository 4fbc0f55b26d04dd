// SPDX-License-Identifier: Apache-2.0
// Components resolved against the baseline: what can be left out, one by one.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ablation/checker.hpp"
#include "ablation/plan.hpp"
#include "model/declared.hpp"

namespace dlrun::ablation {

/// The two layers that a drop_between or drop_edge names.
struct Ends {
  std::string from, to;
};

/// A component, or with `as: each` one of its matches.
struct Unit {
  std::string id;
  std::string path;  ///< place of the component, "ablation.components.3"
  Component component;
  Names nodes = {};            ///< drop, swap: layers
  Json sets = Json::object();  ///< swap, set: places of the trial and their values without the component
  Names features = {};         ///< drop_feature: columns; drop_channel: numbers
  Names arguments = {};        ///< drop_argument, swap_argument: elements of the command
  Names notes = {};            ///< remarks on every variant without it, W310

  const std::string& kind() const { return component.kind; }
  std::string how() const { return component.how.value_or("remove"); }  ///< treatment of the features
  bool drops_features() const { return kind() == "drop_feature" || kind() == "drop_channel"; }
  Ends ends() const;  ///< REQUIRES: the component names both
  bool changes_arguments() const { return !arguments.empty(); }
  bool changes_model() const { return sets.empty() && !drops_features() && !changes_arguments(); }
};

/// Letters, digits, '.', '_' and '-', at most a hundred.
bool is_component_id(const std::string& id);

/// Whether a place of the trial is the section or lies in it.
bool lies_in(const std::string& place, const std::string& section);

/// Faults go to their places, by code.
/// @param components  the list as it was read
/// @param trial       of the baseline, normal form
/// @param model       declared by the trial; nullopt if it has none
std::vector<Unit> units_of(const Json& components, const Json& trial, const std::optional<model::Declared>& model,
                           const Checker& checker, Faults& faults);

}  // namespace dlrun::ablation
