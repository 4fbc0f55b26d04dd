// SPDX-License-Identifier: Apache-2.0
#include "pruners/signed_rank.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "statistics/signed_rank.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::pruners {

namespace {

int positive_sum(const std::vector<int>& ranks, std::uint32_t signs) {
  int sum = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) sum += (signs >> i & 1U) != 0 ? ranks[i] : 0;
  return sum;
}

/// Rejects those standing signs that have the largest sums, up to `most` rejections in all; equal sums stand or fall
/// together.
void reject_largest(const std::vector<int>& sums, std::size_t most, std::vector<bool>& is_rejected) {
  std::size_t rejected = std::size_t(std::count(is_rejected.begin(), is_rejected.end(), true));
  std::vector<std::size_t> standing;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (!is_rejected[i]) standing.push_back(i);
  }
  std::sort(standing.begin(), standing.end(), [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
  for (std::size_t begin = 0, end = 0; begin < standing.size(); begin = end) {
    while (end < standing.size() && sums[standing[end]] == sums[standing[begin]]) ++end;
    rejected += end - begin;
    if (rejected > most) return;
    for (std::size_t i = begin; i < end; ++i) is_rejected[standing[i]] = true;
  }
}

}  // namespace

double SequentialSignedRank::spent(int k) const {
  if (k < first_) return 0;
  const double share = std::min(1.0, double(k) / last_);
  return alpha_ * arithmetic::log(1 + (std::numbers::e - 1) * share);
}

bool SequentialSignedRank::rejects(const std::vector<double>& differences) const {
  const int k = int(differences.size());
  if (k < first_ || k > last_) return false;
  if (k <= kEnumerated) return rejects_by_signs(differences);
  return statistics::signed_rank_p(differences) <= spent(k) - spent(k - 1);
}

bool SequentialSignedRank::rejects_by_signs(const std::vector<double>& differences) const {
  std::vector<bool> is_rejected(std::size_t(1) << (first_ - 1), false);  // by the signs so far
  for (int look = first_; look <= int(differences.size()); ++look) {
    const std::size_t count = std::size_t(1) << look;
    const std::vector<int> ranks = statistics::double_ranks(differences, std::size_t(look));
    std::vector<int> sums(count);
    std::vector<bool> next(count);
    for (std::size_t signs = 0; signs < count; ++signs) {
      sums[signs] = positive_sum(ranks, std::uint32_t(signs));
      next[signs] = is_rejected[signs % (count / 2)];
    }
    reject_largest(sums, std::size_t(spent(look) * double(count)), next);
    is_rejected = std::move(next);
  }
  std::size_t own = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) own |= std::size_t(differences[i] > 0) << i;
  return is_rejected[own];
}

}  // namespace dlrun::pruners
