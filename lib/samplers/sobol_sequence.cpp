// SPDX-License-Identifier: Apache-2.0
#include "samplers/sobol_sequence.hpp"

#include <fmt/format.h>

#include <boost/random/sobol.hpp>

#include "util/error.hpp"
#include "util/random.hpp"

namespace dlrun::samplers {

namespace {

std::size_t checked_dimensions(std::size_t dimensions) {
  if (dimensions <= SobolSequence::kMostDimensions) return dimensions;
  throw Error(ErrorKind::usage,
              fmt::format("Sobol's sequence has at most {} dimensions, but the space has {} parameters",
                          SobolSequence::kMostDimensions, dimensions),
              "take sampler: random");
}

}  // namespace

SobolSequence::SobolSequence(std::size_t dimensions, std::uint64_t seed)
    : directions_(checked_dimensions(dimensions)), key_(RandomStream(seed, {"sequence", name()}).key()) {
  if (dimensions == 0) return;
  boost::random::sobol engine(dimensions);
  for (int digit = 0; digit < kDigits; ++digit) {
    // The engine is in Gray code and leaves out the origin: there, this point is one direction number alone.
    engine.seed((std::uint64_t(2) << digit) - 2);
    for (auto& directions : directions_) directions[digit] = static_cast<std::uint32_t>(engine() >> 32);
  }
}

std::vector<double> SobolSequence::point(std::uint64_t index) const {
  std::vector<double> units(directions_.size());
  for (std::size_t d = 0; d < units.size(); ++d) {
    std::uint32_t x = 0;
    for (int digit = 0; digit < kDigits; ++digit) {
      if ((index >> digit) & 1) x ^= directions_[d][digit];
    }
    units[d] = scrambled(x, d);
  }
  return units;
}

double SobolSequence::scrambled(std::uint32_t x, std::size_t dimension) const {
  std::uint64_t digits = 0;
  for (int digit = 0; digit < kDigits; ++digit) {
    const auto above = digit == 0 ? 0 : x >> (kDigits - digit);
    const auto flips = philox({above, std::uint32_t(digit), std::uint32_t(dimension), 0}, key_);
    digits = digits << 1 | (((x >> (kDigits - 1 - digit)) ^ flips[0]) & 1);
  }
  const auto rest = philox({x, kDigits, std::uint32_t(dimension), 0}, key_);
  return static_cast<double>(digits << 21 | rest[0] >> 11) * 0x1p-53;
}

}  // namespace dlrun::samplers
