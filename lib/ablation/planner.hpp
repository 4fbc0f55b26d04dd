// SPDX-License-Identifier: Apache-2.0
// `ablation.design` and the keys beside it: components that are off in each variant.
#pragma once
#include <string>
#include <vector>

#include "ablation/off_sets.hpp"
#include "ablation/units.hpp"

namespace dlrun::ablation {

struct PlannedVariant {
  std::string id;
  Off off;
};

struct DesignPlan {
  std::vector<PlannedVariant> variants;   ///< without the baseline
  std::optional<NamedFraction> fraction;  ///< fractional designs only
  std::optional<Steps> steps;             ///< designs in steps only
  bool needs_all = false;                 ///< a variant that cannot be built, or equals another, spoils the design
  bool is_quiet = false;                  ///< a variant that cannot be built is no step, and is only listed

  bool puts_back() const { return steps && steps->puts_back; }
  bool has_rounds() const { return steps && steps->is_greedy(); }
};

/// Faults go to their places: keys of other designs, unknown names, E250.
/// @param model  the baseline's, for its blocks
DesignPlan planned(const Section& section, const std::vector<Unit>& units, const std::optional<model::Declared>& model,
                   Faults& faults);

}  // namespace dlrun::ablation
