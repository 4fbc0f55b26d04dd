// SPDX-License-Identifier: Apache-2.0
// `ablation.retune`: settings of the space that are tuned, and the variants in which they are.
#pragma once
#include <map>
#include <vector>

#include "ablation/baseline.hpp"
#include "ablation/planner.hpp"

namespace dlrun::ablation {

/// Parameters of a study that are tuned for each variant. Normal form.
struct Settings {
  Json space = Json::array();       ///< all parameters
  Json parameters = Json::array();  ///< all but the constants
  Json constraints = {};            ///< null: there are none
};

/// @param study  normal form, checked with its space
Settings settings_of(const Json& study);

/// Reports what retune cannot go with, and a space that does not do for it, E252.
void check_retune(const Section& section, const Settings& settings, const DesignPlan& plan, const Checker& checker,
                  Faults& faults);

/// Decides which settings a variant holds at their written values: settings whose place it does not have, or whose
/// value makes it the variant that it is.
class SettingHolder {
 public:
  /// @param base       the baseline with the document without settings
  /// @param constants  the rest of its space, normal form
  SettingHolder(const Settings& settings, const Baseline& base, Json constants);

  /// Held settings, each with the reason. @param off  components that the variant is without
  std::map<std::string, std::string> held(const Json& trial, const std::vector<const Unit*>& off) const;

 private:
  std::string fault_with(const Node& trial, const std::vector<const Json*>& settings) const;

  const Settings& settings_;
  const Baseline& base_;
  Json constants_;
};

}  // namespace dlrun::ablation
