// SPDX-License-Identifier: Apache-2.0
// `ablation.components`, resolved against the baseline: what can be left out, one by one.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/declared.hpp"
#include "spec/reading.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

/// A component, or with `as: each` what one of its matches is.
struct Unit {
  std::string id;
  std::string path;  ///< of the component, "ablation.components.3"
  std::string kind;  ///< drop, drop_branch, drop_between, drop_edge, drop_feature, drop_channel, swap, set
  Json written;      ///< the component
  std::vector<std::string> nodes = {};     ///< drop, swap: layers it is about
  Json sets = Json::object();              ///< swap, set: places of the trial and their values without the component
  std::vector<std::string> features = {};  ///< drop_feature: columns; drop_channel: numbers
  std::string how = "remove";              ///< or mean, permute: what becomes of the features
  std::vector<std::string> notes = {};     ///< what is to be known of every variant without it, W310
  bool drops_features() const { return kind == "drop_feature" || kind == "drop_channel"; }
  bool changes_model() const { return sets.empty() && !drops_features(); }
};

/// Letters, digits, '.', '_' and '-', at most a hundred.
bool is_component_id(const std::string& id);

/// Faults go to their places, by code.
/// @param components  the normal form of the list
/// @param trial       of the baseline, normal form
/// @param model       the one that it declares; nullopt where it has none
std::vector<Unit> units_of(const Json& components, const Json& trial, const std::optional<model::Declared>& model,
                           Faults& faults);

}  // namespace dlrun::spec
