// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them in a column: four significant digits, the points below one another where that helps.
#pragma once
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun {

/// Four significant digits, whole part never shortened: 0.97134 -> "0.9713", 12345.6 -> "12346", 3.2e-7 -> "3.2e-07".
std::string short_number(double value);

/// The cells of one column as text. Where all its fractions are within a factor of 100 of one another they share the
/// decimals that the smallest needs; columns that span more (learning rates) keep four digits each. null is "-".
std::vector<std::string> column_text(const std::vector<const Json*>& cells);

}  // namespace dlrun
