// SPDX-License-Identifier: Apache-2.0
// First points of a sampler that learns: spread out, before there is anything to learn from.
#pragma once
#include "samplers/draw.hpp"
#include "samplers/sequence.hpp"
#include "samplers/untried.hpp"

namespace dlrun::samplers {

/// Point `index` of the sequence; a random untried one where its values were tried or a constraint excludes them.
/// REQUIRES: !untried.is_used_up().
inline space::Values first_point(Untried& untried, const Sequence& sequence, std::uint64_t index, RandomStream& random,
                                 std::string& reason) {
  auto values = values_from(untried.space(), sequence.point(index));
  if (untried.is_new(values)) return values;
  return untried.pick(
      random, [&] { return untried.draw(random); }, reason);
}

}  // namespace dlrun::samplers
