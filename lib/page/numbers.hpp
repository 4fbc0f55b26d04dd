// SPDX-License-Identifier: Apache-2.0
// Numbers of a page's data.
#pragma once
#include "util/json.hpp"

namespace dlrun::page {

/// A number with seven significant digits, more than a plot or a tooltip shows, so that its text is short. Whole
/// numbers stay whole; null: not finite.
Json data_number(double value);

}  // namespace dlrun::page
