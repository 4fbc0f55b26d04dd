// SPDX-License-Identifier: Apache-2.0
// Results of single validation examples, as a program leaves them: a CSV file, an artifact of its trial.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace dlrun::programs {

inline constexpr std::size_t kMostExamples = 1'000'000;
inline constexpr std::int64_t kMostExampleBytes = 256 << 20;  ///< largest file
inline constexpr std::size_t kLongestId = 200;                ///< bytes of an example's id

/// Checks the file. Part of the store's format:
///   id,value          the first line; lines end with \n
///   17,0.25           id: a whole number or a text, each once; quoted as "a ""b"", c" where it has quotes or commas
///   img/3.png,1       value: a finite number, a loss, or 1 for a hit and 0 for a miss
/// @return  how many examples there are, at least one
/// @throws Error(usage) naming the first line that is wrong
std::size_t count_examples(const std::filesystem::path& file);

}  // namespace dlrun::programs
