// SPDX-License-Identifier: Apache-2.0
// Random words by the thousand: the same function as util's philox(), several counters at a time.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace dlrun::nn {

/// Writes words 0 … count - 1 of the sequence philox({block, 0, stream, stream >> 32}, key), block = 0, 1, …
void philox_fill(std::array<std::uint32_t, 2> key, std::uint64_t stream, std::uint32_t* words, std::size_t count);

}  // namespace dlrun::nn
