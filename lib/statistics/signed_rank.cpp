// SPDX-License-Identifier: Apache-2.0
#include "statistics/signed_rank.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "util/arithmetic.hpp"

namespace dlrun::statistics {

namespace {

constexpr std::size_t kExact = 100;     // one-sided
constexpr std::size_t kAutomatic = 50;  // two-sided, as SciPy

double by_normal(const std::vector<int>& ranks, double w) {
  double mean = 0, variance = 0;
  for (const int rank : ranks) {
    mean += rank / 2.0;
    variance += rank * double(rank) / 4;
  }
  return variance == 0 ? 1.0 : 0.5 * arithmetic::erfc((w - 1 - mean) / std::sqrt(2 * variance));
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

int positive_sum(const std::vector<int>& ranks, const std::vector<double>& differences) {
  int sum = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) sum += differences[i] > 0 ? ranks[i] : 0;
  return sum;
}

std::vector<double> without_zeros(std::vector<double> differences) {
  std::erase(differences, 0.0);
  return differences;
}

/// Both tails of the normal distribution that has the mean and variance of all signs.
double both_tails(const std::vector<int>& ranks, int w) {
  double mean = 0, squares = 0;
  for (const int rank : ranks) {
    mean += rank / 2.0;
    squares += rank * double(rank) / 4;
  }
  return arithmetic::erfc(std::abs(w - mean) / std::sqrt(2 * squares));
}

}  // namespace

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

double signed_rank_p(const std::vector<double>& differences) {
  const std::vector<int> ranks = double_ranks(differences, differences.size());
  const int w = positive_sum(ranks, differences);
  return ranks.size() <= kExact ? by_counting(ranks, w) : by_normal(ranks, w);
}

double wilcoxon_p(const std::vector<double>& differences, RankMethod method) {
  const std::vector<double> others = without_zeros(differences);
  if (others.empty()) return 1;
  const std::vector<int> ranks = double_ranks(others, others.size());
  const int w = positive_sum(ranks, others);
  const bool counts = method == RankMethod::exact || (method == RankMethod::automatic && others.size() <= kAutomatic);
  if (!counts) return both_tails(ranks, w);
  const int rest = std::accumulate(ranks.begin(), ranks.end(), 0) - w;
  return std::min(1.0, 2 * by_counting(ranks, std::max(w, rest)));
}

}  // namespace dlrun::statistics
