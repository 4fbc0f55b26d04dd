// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "samplers/sequence.hpp"

namespace dlrun::samplers {

/// Halton's sequence in the first d primes, each digit sent through a random affine map modulo its prime (linear digit
/// scrambling with a shift, Matousek 1998): that breaks the correlation of neighbouring primes and makes each point
/// uniform. Digits are taken down to 2^-53.
class HaltonSequence final : public Sequence {
 public:
  static constexpr std::size_t kMostDimensions = 10000;

  /// @throws Error(usage) for more than kMostDimensions
  HaltonSequence(std::size_t dimensions, std::uint64_t seed);

  std::string_view name() const override { return "halton"; }
  std::vector<double> point(std::uint64_t index) const override;

 private:
  struct Map {
    std::uint32_t factor, shift;
  };
  struct Base {
    std::uint32_t prime;
    std::vector<Map> digits;  ///< the first after the point comes first
  };
  std::vector<Base> bases_;
};

}  // namespace dlrun::samplers
