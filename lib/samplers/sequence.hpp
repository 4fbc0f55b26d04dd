// SPDX-License-Identifier: Apache-2.0
// Low-discrepancy sequences: points that fill the unit cube more evenly than random ones.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace dlrun::samplers {

constexpr double kBelowOne = 1.0 - 0x1p-53;  ///< the largest double below 1

class Sequence {
 public:
  virtual ~Sequence() = default;
  /// Part of the format: it keys the scrambling.
  virtual std::string_view name() const = 0;
  /// Point `index` in [0, 1)^d; any order of calls gives the same points. REQUIRES: index < 2^32.
  virtual std::vector<double> point(std::uint64_t index) const = 0;
};

}  // namespace dlrun::samplers
