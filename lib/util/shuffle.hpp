// SPDX-License-Identifier: Apache-2.0
// Random orders by named streams, the same on every machine; std::shuffle leaves its draws to the library.
#pragma once
#include <cstddef>
#include <utility>

#include "util/random.hpp"

namespace dlrun {

/// Fisher and Yates, from the end: swap(i, j) with j <= i for each i from count - 1 to 1, one draw each.
template <class Stream, class Swap>
void shuffle(std::size_t count, Stream&& stream, Swap swap) {
  for (std::size_t i = count; i > 1; --i) swap(i - 1, static_cast<std::size_t>(stream.below(i)));
}

/// @param items  a vector or an array
template <class Items, class Stream>
void shuffle(Items& items, Stream&& stream) {
  shuffle(items.size(), stream, [&](std::size_t i, std::size_t j) { std::swap(items[i], items[j]); });
}

}  // namespace dlrun
