// SPDX-License-Identifier: Apache-2.0
// `ablation.design` and the keys that say more of it: which components are off in which variant.
#pragma once
#include <string>
#include <vector>

#include "ablation/plans.hpp"
#include "spec/ablation_components.hpp"

namespace dlrun::spec {

struct PlannedVariant {
  std::string id;
  ablation::Off off;
};

struct DesignPlan {
  std::vector<PlannedVariant> variants;  ///< without the baseline
  /// What the report has to know of it: {fraction: {resolution, words, aliases}} or {steps: {components, puts_back,
  /// order}}, by names; or empty.
  Json derived = Json::object();
  bool needs_all = false;  ///< a variant that cannot be built, or is another one, spoils the design
  bool is_quiet = false;   ///< what cannot be built is no step, and is only listed
};

/// Faults go to their places: keys of other designs, names that are none, E250.
/// @param written  `ablation:`, every default filled in
/// @param model    the baseline's, for its blocks
DesignPlan planned(const Json& written, const std::vector<Unit>& units, const std::optional<model::Declared>& model,
                   Faults& faults);

}  // namespace dlrun::spec
