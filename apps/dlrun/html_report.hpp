// SPDX-License-Identifier: Apache-2.0
// dlrun report --html FILE: the report as a page.
#pragma once
#include <string>
#include <vector>

#include "arguments.hpp"
#include "output/console.hpp"

namespace dlrun::cli {

/// Writes the page of these studies to the file that --html names.
int write_html(const Arguments& arguments, const std::vector<std::string>& studies, Console& console);

}  // namespace dlrun::cli
