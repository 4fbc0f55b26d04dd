// SPDX-License-Identifier: Apache-2.0
// Random streams of a gang's nodes: the same wherever it runs.
#pragma once
#include <string>

#include <fmt/format.h>

#include "util/arithmetic.hpp"
#include "util/random.hpp"

namespace dlrun::parallel {

/// @param run      replicate and epoch
/// @param purpose  "draws" of the algorithm, "jitter" and "slowdowns" of the machines
inline RandomStream stream_of(std::uint64_t seed, const std::string& run, const char* purpose, int node) {
  return {seed, {"parallel", purpose, run, fmt::to_string(node)}};
}

/// A draw from the exponential distribution.
inline double exponential(RandomStream& random, double mean) { return -mean * arithmetic::log1p(-random.uniform()); }

}  // namespace dlrun::parallel
