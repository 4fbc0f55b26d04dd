// SPDX-License-Identifier: Apache-2.0
// Settings that an ablation retunes, as a space of their own: the parameters that stand after its variant.
#pragma once
#include <optional>
#include <vector>

#include "space/space.hpp"

namespace dlrun::samplers {

struct Settings {
  space::Space space;
  std::vector<std::size_t> numbers;  ///< numbers of its parameters in the space of the study

  /// A point of the study's space with these settings, as far as they are active there. @param values  up to the
  /// variant
  space::Values put_into(const space::Space& study, space::Values values, const space::Values& settings) const;
  space::Values taken_from(const space::Values& values) const;
};

/// Settings that this variant has; nullopt: all of them. Constraints of others do not hold for it.
/// REQUIRES: constraints are between settings. @param variant  parameter of the space
Settings settings_of(const space::Space& study, std::size_t variant, std::optional<std::size_t> which);

}  // namespace dlrun::samplers
