// SPDX-License-Identifier: Apache-2.0
// `ablation.retune`: what of the space is tuned, and in which variants.
#pragma once
#include <vector>

#include "document/node.hpp"
#include "spec/ablation_components.hpp"
#include "spec/ablation_designs.hpp"
#include "spec/ablation_section.hpp"

namespace dlrun::spec {

/// Whether the section asks for it.
bool asks_to_retune(const document::Node& section);

/// The space's parameters but for its constants, with their constraints.
/// @param study  normal form, checked with its space
Settings settings_of(const Json& study);

/// What retune cannot go with, and a space that does not do for it, E252. @param written  `ablation:`, every default in
/// it
void check_retune(const Json& written, const Settings& settings, const DesignPlan& plan, Faults& faults);

/// Some variants do not have the place of every setting, or are what they are by its value; there it keeps the value
/// that it has.
class SettingHolder {
 public:
  /// @param base       the document of the baseline, without settings
  /// @param constants  what is left of its space, normal form
  SettingHolder(const Settings& settings, const document::Node& base, Json constants, const CheckStudy& check);

  /// {setting: why not} of those that are not tuned. @param off  the components that the variant is without
  Json held(const Json& trial, const std::vector<const Unit*>& off) const;

 private:
  std::string fault_with(const document::Node& trial, const std::vector<const Json*>& settings) const;

  const Settings& settings_;
  const document::Node& base_;
  Json constants_;
  const CheckStudy& check_;
};

/// How many tunings each variant has. @param written  as above, with the number of replicates
std::int64_t tunings_of(const Json& written);

/// The parameters that tell tuning from comparison, before those of cells.
Json tuning_parameters(const Json& written);

/// The settings, each under the condition that the variant has it. @param variants  with `held`
Json conditioned(const Json& settings, const Json& variants);

}  // namespace dlrun::spec
