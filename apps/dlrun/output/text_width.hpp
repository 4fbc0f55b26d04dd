// SPDX-License-Identifier: Apache-2.0
// Text that is safe to show, and how wide it is.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "util/visible.hpp"

namespace dlrun::cli {

/// Columns that UTF-8 text takes: 2 for East Asian wide characters and emoji, 0 for combining marks, else 1.
std::size_t display_width(std::string_view text);

/// At most `width` columns of it; what was cut ends in "…".
std::string cut(std::string_view text, std::size_t width);

}  // namespace dlrun::cli
