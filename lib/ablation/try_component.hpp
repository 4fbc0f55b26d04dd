// SPDX-License-Identifier: Apache-2.0
// One component by itself, checked by the code that checks a person's file: its variants, or its fault.
#pragma once
#include <string>
#include <vector>

#include "ablation/variants.hpp"

namespace dlrun::ablation {

struct TriedComponent {
  Component component;
  std::vector<Variant> variants;  ///< by VariantMaker, several with `as: each`; none if the component is refused
  std::string code;               ///< broken rule, "E202"; "E200" if that has none
  std::string message;            ///< the fault without the code, and its remedy
};

/// @param component  an entry of `ablation.components`
TriedComponent try_component(const Node& component, const Baseline& baseline);

}  // namespace dlrun::ablation
