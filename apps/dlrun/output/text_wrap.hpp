// SPDX-License-Identifier: Apache-2.0
// Text in lines that fit a page.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace dlrun::cli {

/// Lines of at most `width` columns, broken between words; a word that is wider is broken inside. One line if the width
/// is 0, which means endless. Never empty.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

}  // namespace dlrun::cli
