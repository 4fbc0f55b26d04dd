// SPDX-License-Identifier: Apache-2.0
// Keys of a component that say something of some kinds of component only: `as`, `how`, `to`, `on_shape`, …
#pragma once
#include "spec/ablation_components.hpp"

namespace dlrun::spec {

/// A key that is written where it says nothing is a fault.
void check_component_keys(const Unit& unit, Faults& faults);

}  // namespace dlrun::spec
