// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once
#include <string>

namespace dlrun {

/// "512 B", "1.5 kB", "13 MB": decimal units, two digits where they say something.
std::string bytes_text(double bytes);

/// "12,345": a whole number, rounded, its digits in groups of three.
std::string grouped(double number);

}  // namespace dlrun
