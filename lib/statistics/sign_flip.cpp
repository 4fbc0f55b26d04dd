// SPDX-License-Identifier: Apache-2.0
#include "statistics/sign_flip.hpp"

#include <cmath>
#include <cstdint>

#include "util/random.hpp"

namespace dlrun::statistics {

namespace {

double signed_sum(const std::vector<double>& differences, std::uint32_t signs) {
  double sum = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) sum += (signs >> i & 1U) != 0 ? differences[i] : -differences[i];
  return sum;
}

double drawn_sum(const std::vector<double>& differences, RandomStream& stream) {
  double sum = 0;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    if (i % 32 == 0) bits = stream.next_u32();
    sum += (bits >> (i % 32) & 1U) != 0 ? differences[i] : -differences[i];
  }
  return sum;
}

/// A sum as far from 0, but for rounding: other orders of the same terms.
double least_sum(const std::vector<double>& differences) {
  double sum = 0, sizes = 0;
  for (const double d : differences) {
    sum += d;
    sizes += std::abs(d);
  }
  return std::abs(sum) - 1e-12 * sizes;
}

}  // namespace

double sign_flip_p(const std::vector<double>& differences) {
  const std::size_t n = differences.size();
  if (n == 0) return 1;
  const double least = least_sum(differences);
  std::int64_t as_far = 0;
  if (n <= kMostFlipped) {  // half of them: the other half has the same sizes
    const std::uint32_t half = std::uint32_t(1) << (n - 1);
    for (std::uint32_t signs = 0; signs < half; ++signs) as_far += std::abs(signed_sum(differences, signs)) >= least;
    return double(as_far) / double(half);
  }
  RandomStream stream(0, {"sign-flip"});
  for (int i = 0; i < kFlips; ++i) as_far += std::abs(drawn_sum(differences, stream)) >= least;
  return double(as_far + 1) / double(kFlips + 1);
}

}  // namespace dlrun::statistics
