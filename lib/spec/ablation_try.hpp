// SPDX-License-Identifier: Apache-2.0
// One component by itself, checked by the code that checks a person's file: its variants, or what is wrong with it.
#pragma once
#include <string>
#include <vector>

#include "document/node.hpp"
#include "spec/ablation_variants.hpp"

namespace dlrun::spec {

struct TriedComponent {
  Json written;                ///< as a person would write it; null where it could not be read
  std::vector<Json> variants;  ///< as VariantMaker makes them, several with `as: each`; none where it is refused
  std::string code;            ///< of the rule that it breaks, "E202"; "E200" where that has none
  std::string message;         ///< what is wrong, without the code, and what would be right
};

/// @param component  an entry of `ablation.components`
TriedComponent try_component(const document::Node& component, const Baseline& baseline, const CheckStudy& check);

}  // namespace dlrun::spec
