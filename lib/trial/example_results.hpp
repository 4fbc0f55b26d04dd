// SPDX-License-Identifier: Apache-2.0
// Results of single validation examples, as a program leaves them: a CSV file, an artifact of its trial.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::trial {

inline constexpr std::size_t kMostExamples = 1'000'000;
inline constexpr std::size_t kLongestId = 200;  ///< bytes of an example's id

struct ExampleResult {
  std::string id;    ///< without its outer quotes; quotes inside stay doubled
  double value = 0;  ///< a loss, or 1 for a hit and 0 for a miss
};

/// Reads such a file. Part of the store's format:
///   id,value          the first line; lines end with \n
///   17,0.25           id: a whole number or a text, each once; quoted as "a ""b"", c" where it has quotes or commas
///   img/3.png,1       value: a finite number
/// @return  the examples, at least one, in their order
/// @throws Error(usage) naming the first line that is wrong
std::vector<ExampleResult> read_examples(std::string_view bytes);

}  // namespace dlrun::trial
