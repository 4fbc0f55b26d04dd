// SPDX-License-Identifier: Apache-2.0
#include "dataset/split.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "util/random.hpp"
#include "util/shuffle.hpp"

namespace dlrun::dataset {

namespace {

struct Ranked {
  std::uint64_t numerator;  ///< rank = numerator / denominator, compared exactly
  std::uint64_t denominator;
  std::int64_t stratum;
  std::int64_t row;
  bool operator<(const Ranked& other) const {
    const auto left = static_cast<unsigned __int128>(numerator) * other.denominator;
    const auto right = static_cast<unsigned __int128>(other.numerator) * denominator;
    return left != right ? left < right : std::tie(stratum, row) < std::tie(other.stratum, other.row);
  }
};

std::vector<std::int64_t> ranked_rows(const std::vector<std::int64_t>& strata, std::uint64_t seed,
                                      const char* purpose) {
  std::map<std::int64_t, std::vector<std::int64_t>> members;
  for (std::size_t row = 0; row < strata.size(); ++row) members[strata[row]].push_back(static_cast<std::int64_t>(row));
  std::vector<Ranked> ranked;
  ranked.reserve(strata.size());
  for (auto& [stratum, rows] : members) {
    shuffle(rows, RandomStream(seed, {purpose, std::to_string(stratum)}));
    for (std::size_t i = 0; i < rows.size(); ++i) ranked.push_back({2 * i + 1, 2 * rows.size(), stratum, rows[i]});
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::int64_t> result;
  result.reserve(ranked.size());
  for (const Ranked& item : ranked) result.push_back(item.row);
  return result;
}

std::vector<std::int64_t> sorted_part(const std::vector<std::int64_t>& rows, std::size_t begin, std::size_t end) {
  std::vector<std::int64_t> part(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                 rows.begin() + static_cast<std::ptrdiff_t>(end));
  std::sort(part.begin(), part.end());
  return part;
}

std::size_t cut(double share, std::size_t count) {
  return std::min(count, static_cast<std::size_t>(std::llround(share * static_cast<double>(count))));
}

}  // namespace

Rows split_rows(const std::vector<std::int64_t>& strata, const Shares& shares, std::uint64_t seed) {
  const std::vector<std::int64_t> rows = ranked_rows(strata, seed, "split");
  const std::size_t train = cut(shares.train, rows.size());
  const std::size_t val = std::max(train, shares.test > 0 ? cut(shares.train + shares.val, rows.size()) : rows.size());
  return {sorted_part(rows, 0, train), sorted_part(rows, train, val), sorted_part(rows, val, rows.size())};
}

Rows fold_rows(const std::vector<std::int64_t>& strata, const Folds& folds, std::uint64_t seed) {
  const std::vector<std::int64_t> rows = ranked_rows(strata, seed, "split");
  const std::size_t rest = rows.size() - cut(folds.test, rows.size());
  const auto begin_of = [&](int part) { return rest * std::size_t(part) / std::size_t(folds.count); };
  Rows result{{}, {}, sorted_part(rows, rest, rows.size())};
  for (int part = 0; part < folds.count; ++part) {
    std::vector<std::int64_t>& side = folds.is_val(part) ? result.val : result.train;
    for (std::size_t i = begin_of(part); i < begin_of(part + 1); ++i) side.push_back(rows[i]);
  }
  std::sort(result.train.begin(), result.train.end());
  std::sort(result.val.begin(), result.val.end());
  return result;
}

std::vector<std::int64_t> choose_rows(const std::vector<std::int64_t>& strata, std::int64_t count, std::uint64_t seed) {
  const std::vector<std::int64_t> rows = ranked_rows(strata, seed, "limit");
  return sorted_part(rows, 0, std::min(rows.size(), static_cast<std::size_t>(count)));
}

}  // namespace dlrun::dataset
