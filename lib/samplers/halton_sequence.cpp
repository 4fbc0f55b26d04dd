// SPDX-License-Identifier: Apache-2.0
#include "samplers/halton_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/prime.hpp>

#include "util/error.hpp"
#include "util/random.hpp"

namespace dlrun::samplers {

namespace {

std::size_t checked(std::size_t dimensions) {
  if (dimensions <= HaltonSequence::kMostDimensions) return dimensions;
  throw Error(ErrorKind::usage,
              fmt::format("Halton's sequence has at most {} dimensions, but the space has {} parameters",
                          HaltonSequence::kMostDimensions, dimensions),
              "take sampler: random");
}

}  // namespace

HaltonSequence::HaltonSequence(std::size_t dimensions, std::uint64_t seed) : bases_(checked(dimensions)) {
  for (std::size_t d = 0; d < dimensions; ++d) {
    RandomStream random(seed, {"sequence", name(), std::to_string(d)});
    const std::uint32_t prime = boost::math::prime(static_cast<unsigned>(d));
    bases_[d].prime = prime;
    double rest = 1;
    while (rest > 0x1p-53) {
      const auto factor = 1 + static_cast<std::uint32_t>(random.below(prime - 1));
      bases_[d].digits.push_back({factor, static_cast<std::uint32_t>(random.below(prime))});
      rest /= prime;
    }
  }
}

std::vector<double> HaltonSequence::point(std::uint64_t index) const {
  std::vector<double> units;
  units.reserve(bases_.size());
  for (const auto& [prime, digits] : bases_) {
    double unit = 0;
    double place = 1;
    std::uint64_t rest = index;
    for (const Map& map : digits) {
      place /= prime;
      unit += place * static_cast<double>((rest % prime * map.factor + map.shift) % prime);
      rest /= prime;
    }
    units.push_back(std::min(unit, kBelowOne));
  }
  return units;
}

}  // namespace dlrun::samplers
