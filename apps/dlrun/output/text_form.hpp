// SPDX-License-Identifier: Apache-2.0
// Text as the letters it is, in languages in which some letters mean something.
#pragma once
#include <string>

namespace dlrun::cli {

/// A pipe would end a cell of a table, a tag would be taken for one.
std::string in_markdown(const std::string& text);

std::string in_latex(const std::string& text);

}  // namespace dlrun::cli
