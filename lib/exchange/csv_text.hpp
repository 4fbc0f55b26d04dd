// SPDX-License-Identifier: Apache-2.0
// Cells of CSV files (RFC 4180, with lines that end in \n) which no spreadsheet takes for a formula.
#pragma once
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::exchange {

/// Text as a cell that no spreadsheet computes.
std::string without_formula(const std::string& text);

/// A cell: empty for null, numbers exactly, text in quotes where it has to be. Text that a spreadsheet would compute
/// (it begins with = + - @, a tab or a return, and is no number) gets an apostrophe in front.
std::string csv_cell(const Json& value);

/// A line with its end.
std::string csv_line(const std::vector<Json>& cells);

}  // namespace dlrun::exchange
