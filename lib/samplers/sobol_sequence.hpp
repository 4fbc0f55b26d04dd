// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "samplers/sequence.hpp"

namespace dlrun::samplers {

/// Sobol's sequence with nested uniform scrambling (Owen 1995): whether a digit is flipped depends on all digits above
/// it, so every block of 2^k points that begins at a multiple of 2^k stays a net, and each point alone is uniform.
/// Direction numbers are Boost.Random's (Joe and Kuo 2008, new-joe-kuo-6). Digits below 2^-32 are random.
class SobolSequence final : public Sequence {
 public:
  static constexpr std::size_t kMostDimensions = 3667;

  /// @throws Error(usage) for more than kMostDimensions
  SobolSequence(std::size_t dimensions, std::uint64_t seed);

  std::string_view name() const override { return "sobol"; }
  std::vector<double> point(std::uint64_t index) const override;

 private:
  static constexpr int kDigits = 32;
  /// The number whose digits are `x` scrambled, in [0, 1).
  double scrambled(std::uint32_t x, std::size_t dimension) const;

  std::vector<std::array<std::uint32_t, kDigits>> directions_;
  std::array<std::uint32_t, 2> key_;
};

}  // namespace dlrun::samplers
