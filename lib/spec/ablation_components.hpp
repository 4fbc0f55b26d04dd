// SPDX-License-Identifier: Apache-2.0
// `ablation.components`, resolved against the baseline: what can be left out, one by one.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/declared.hpp"
#include "spec/faults.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

/// A component, or with `as: each` what one of its matches is.
struct Unit {
  std::string id;
  std::string path;                  ///< of the component, "ablation.components.3"
  std::string kind;                  ///< drop, drop_branch, drop_between, drop_edge, drop_feature, swap, set
  Json written;                      ///< the component
  std::vector<std::string> nodes;    ///< drop, swap: layers it is about
  Json sets = Json::object();        ///< swap, set: places of the trial and their values without the component
  std::vector<std::string> columns;  ///< drop_feature: of a table
  bool changes_model() const { return sets.empty() && columns.empty(); }
};

/// Faults go to their places, by code.
/// @param components  the normal form of the list
/// @param trial       of the baseline, normal form
/// @param model       the one that it declares; nullopt where it has none
std::vector<Unit> units_of(const Json& components, const Json& trial, const std::optional<model::Declared>& model,
                           Faults& faults);

/// What leaves columns out of a trial's table: {place: value}. REQUIRES: the columns of units.
Json without_columns(const Json& trial, const std::vector<std::string>& columns);

}  // namespace dlrun::spec
