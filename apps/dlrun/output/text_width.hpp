// SPDX-License-Identifier: Apache-2.0
// Text that is safe to show, and how wide it is.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace dlrun::cli {

/// Control characters, invalid UTF-8 and marks that reorder text become visible escapes (\n, \x1b, \u202e), so that a
/// name or a log line cannot steer a terminal. With `keep_newlines` a newline stays one.
std::string visible(std::string_view text, bool keep_newlines = false);

/// Columns that UTF-8 text takes: 2 for East Asian wide characters and emoji, 0 for combining marks, else 1.
std::size_t display_width(std::string_view text);

/// At most `width` columns of it; what was cut ends in "…".
std::string cut(std::string_view text, std::size_t width);

}  // namespace dlrun::cli
