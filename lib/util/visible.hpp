// SPDX-License-Identifier: Apache-2.0
// Text that cannot steer a terminal or reorder what stands around it.
#pragma once
#include <string>
#include <string_view>

namespace dlrun {

/// Control characters, invalid UTF-8 and marks that reorder text become visible escapes (\n, \x1b, \u202e), so that a
/// name or a log line cannot steer a terminal. With `keep_newlines` a newline stays one.
std::string visible(std::string_view text, bool keep_newlines = false);

}  // namespace dlrun
