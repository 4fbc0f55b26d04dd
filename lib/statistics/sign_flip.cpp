// SPDX-License-Identifier: Apache-2.0
#include "statistics/sign_flip.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "util/random.hpp"

namespace dlrun::statistics {

namespace {

constexpr std::size_t kBits = 8;

/// Signed sums of every eight differences, one for each way to sign them: a sum of all is a look-up for each eight.
class SignedSums {
 public:
  explicit SignedSums(const std::vector<double>& differences) {
    for (std::size_t begin = 0; begin < differences.size(); begin += kBits) {
      std::vector<double> sums = {0};
      for (std::size_t i = begin; i < std::min(begin + kBits, differences.size()); ++i) {
        const std::size_t half = sums.size();
        sums.resize(2 * half);
        for (std::size_t s = 0; s < half; ++s) {
          sums[half + s] = sums[s] + differences[i];
          sums[s] -= differences[i];
        }
      }
      eights_.push_back(std::move(sums));
    }
  }

  double of(std::uint32_t signs) const {
    double sum = 0;
    for (const auto& sums : eights_) {
      sum += sums[signs & (sums.size() - 1)];
      signs >>= kBits;
    }
    return sum;
  }

  double drawn(RandomStream& stream) const {
    double sum = 0;
    std::uint32_t signs = 0;
    for (std::size_t i = 0; i < eights_.size(); ++i) {
      signs = i % 4 == 0 ? stream.next_u32() : signs >> kBits;
      sum += eights_[i][signs & (eights_[i].size() - 1)];
    }
    return sum;
  }

 private:
  std::vector<std::vector<double>> eights_;
};

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
  const SignedSums sums(differences);
  std::int64_t as_far = 0;
  if (n <= kMostFlipped) {  // half of them: the other half has the same sizes
    const std::uint32_t half = std::uint32_t(1) << (n - 1);
    for (std::uint32_t signs = 0; signs < half; ++signs) as_far += std::abs(sums.of(signs)) >= least;
    return double(as_far) / double(half);
  }
  RandomStream stream(0, {"sign-flip"});
  for (int i = 0; i < kFlips; ++i) as_far += std::abs(sums.drawn(stream)) >= least;
  return double(as_far + 1) / double(kFlips + 1);
}

}  // namespace dlrun::statistics
