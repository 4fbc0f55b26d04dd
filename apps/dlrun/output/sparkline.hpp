// SPDX-License-Identifier: Apache-2.0
// A curve as one line of text.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace dlrun::cli {

/// "▁▃▅▇█" from the lowest to the highest value, at most `columns` wide. Where there are more values than columns, each
/// column stands for as many of them, by the last one. A constant is a line at half height; "x" stands for NaN and
/// infinities.
std::string sparkline(const std::vector<double>& values, std::size_t columns);

}  // namespace dlrun::cli
