// SPDX-License-Identifier: Apache-2.0
// The file with results of single examples that a program has left.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace dlrun::programs {

inline constexpr std::int64_t kMostExampleBytes = 256 << 20;  ///< largest file

/// Checks the file, as trial::read_examples(). @return  how many examples there are, at least one
/// @throws Error(usage) naming the first line that is wrong
std::size_t count_examples(const std::filesystem::path& file);

}  // namespace dlrun::programs
