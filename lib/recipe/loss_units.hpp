// SPDX-License-Identifier: Apache-2.0
// Losses are measured in units that their own settings choose; two of other settings cannot be compared.
#pragma once
#include <string>

#include "util/json.hpp"

namespace dlrun::recipe {

/// Whether another value at the place changes the units of the metric: the kind of a loss, its keys, its weight in a
/// sum. `val.NAME.loss` is without the weight, and auxiliary outputs are no part of `val.loss`.
/// @param metric  by its full name  @param place  "loss.op", "loss.NAME.weight"  @param trial  normal form
bool changes_units(const std::string& metric, const std::string& place, const Json& trial);

}  // namespace dlrun::recipe
