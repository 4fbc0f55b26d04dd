// SPDX-License-Identifier: Apache-2.0
#include "pruners/signed_rank.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

namespace dlrun::pruners {

namespace {

constexpr std::size_t kExact = 100;

/// Twice the ranks of the first `count` sizes, so that shared ranks are whole; 0 for differences of 0, whose half
/// counts on either side.
std::vector<int> double_ranks(const std::vector<double>& differences, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t(0));
  const auto size = [&](std::size_t i) { return std::abs(differences[i]); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size(a) < size(b); });
  std::vector<int> ranks(count);
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && size(order[end]) == size(order[begin])) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      ranks[order[i]] = size(order[i]) == 0 ? 0 : int(begin + 1 + end);
    }
  }
  return ranks;
}

double by_normal(const std::vector<int>& ranks, double w) {
  double mean = 0, variance = 0;
  for (const int rank : ranks) {
    mean += rank / 2.0;
    variance += rank * double(rank) / 4;
  }
  return variance == 0 ? 1.0 : 0.5 * std::erfc((w - 1 - mean) / std::sqrt(2 * variance));
}

/// Shares of all signs by their sum of positive ranks.
double by_counting(const std::vector<int>& ranks, int w) {
  const auto most = std::size_t(std::accumulate(ranks.begin(), ranks.end(), 0));
  std::vector<double> shares(most + 1, 0.0);
  shares[0] = 1;
  for (const int rank : ranks) {
    if (rank == 0) continue;
    for (std::size_t sum = most + 1; sum-- > 0;) {
      const double with = sum >= std::size_t(rank) ? shares[sum - std::size_t(rank)] : 0.0;
      shares[sum] = 0.5 * (shares[sum] + with);
    }
  }
  return std::accumulate(shares.begin() + w, shares.end(), 0.0);
}

int positive_sum(const std::vector<int>& ranks, std::uint32_t signs) {
  int sum = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) sum += (signs >> i & 1U) != 0 ? ranks[i] : 0;
  return sum;
}

/// Of the signs that stand, rejects those with the largest sums, `most` of all at most; equal sums stand or fall
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

double signed_rank_p(const std::vector<double>& differences) {
  const std::vector<int> ranks = double_ranks(differences, differences.size());
  int w = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) w += differences[i] > 0 ? ranks[i] : 0;
  return ranks.size() <= kExact ? by_counting(ranks, w) : by_normal(ranks, w);
}

double SequentialSignedRank::spent(int k) const {
  if (k < first_) return 0;
  const double share = std::min(1.0, double(k) / last_);
  return alpha_ * std::log(1 + (std::numbers::e - 1) * share);
}

bool SequentialSignedRank::rejects(const std::vector<double>& differences) const {
  const int k = int(differences.size());
  if (k < first_ || k > last_) return false;
  if (k <= kEnumerated) return rejects_by_signs(differences);
  return signed_rank_p(differences) <= spent(k) - spent(k - 1);
}

bool SequentialSignedRank::rejects_by_signs(const std::vector<double>& differences) const {
  std::vector<bool> is_rejected(std::size_t(1) << (first_ - 1), false);  // by the signs so far
  for (int look = first_; look <= int(differences.size()); ++look) {
    const std::size_t count = std::size_t(1) << look;
    const std::vector<int> ranks = double_ranks(differences, std::size_t(look));
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
