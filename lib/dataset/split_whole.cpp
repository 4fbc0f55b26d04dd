// SPDX-License-Identifier: Apache-2.0
// Splits that keep rows together: by group, by time.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "dataset/split.hpp"
#include "util/random.hpp"
#include "util/shuffle.hpp"

namespace dlrun::dataset {

namespace {

using Numbers = std::vector<std::int64_t>;

Numbers sizes_of(const Numbers& groups) {
  Numbers sizes;
  for (const std::int64_t group : groups) {
    if (group >= std::int64_t(sizes.size())) sizes.resize(std::size_t(group) + 1);
    ++sizes[std::size_t(group)];
  }
  return sizes;
}

Numbers drawn_order(std::size_t count, std::uint64_t seed) {
  Numbers order(count);
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, RandomStream(seed, {"split", "groups"}));
  return order;
}

/// Part of each group: the one that lacks most rows, the first of equals.
/// @param order of the groups  @param shares of the rows that each part is to have
std::vector<std::size_t> deal(const Numbers& sizes, const Numbers& order, const std::vector<double>& shares) {
  const auto total = double(std::accumulate(sizes.begin(), sizes.end(), std::int64_t(0)));
  std::vector<double> lacking;
  for (const double share : shares) lacking.push_back(share * total);
  std::vector<std::size_t> part(sizes.size());
  for (const std::int64_t group : order) {
    const auto most = std::size_t(std::max_element(lacking.begin(), lacking.end()) - lacking.begin());
    part[std::size_t(group)] = most;
    lacking[most] -= double(sizes[std::size_t(group)]);
  }
  return part;
}

/// Rank of the last row before the border between two times that is nearest to `wanted`.
std::size_t nearest_border(const Numbers& order, const Numbers& times, std::size_t wanted) {
  const auto is_border = [&](std::size_t at) {
    return at == 0 || at == order.size() || times[std::size_t(order[at - 1])] != times[std::size_t(order[at])];
  };
  for (std::size_t distance = 0;; ++distance) {
    if (wanted + distance <= order.size() && is_border(wanted + distance)) return wanted + distance;
    if (distance <= wanted && is_border(wanted - distance)) return wanted - distance;
  }
}

}  // namespace

Rows split_groups(const Numbers& groups, const Shares& shares, std::uint64_t seed) {
  const Numbers sizes = sizes_of(groups);
  const std::vector<std::size_t> part =
      deal(sizes, drawn_order(sizes.size(), seed), {shares.train, shares.val, shares.test});
  Rows rows;
  Numbers* const lists[] = {&rows.train, &rows.val, &rows.test};
  for (std::size_t row = 0; row < groups.size(); ++row)
    lists[part[std::size_t(groups[row])]]->push_back(std::int64_t(row));
  return rows;
}

Rows fold_groups(const Numbers& groups, const Folds& folds, std::uint64_t seed) {
  const Numbers sizes = sizes_of(groups);
  Numbers order = drawn_order(sizes.size(), seed);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return sizes[std::size_t(a)] > sizes[std::size_t(b)]; });
  std::vector<double> shares(std::size_t(folds.count), (1 - folds.test) / folds.count);
  shares.push_back(folds.test);
  const std::vector<std::size_t> part = deal(sizes, order, shares);
  Rows rows;
  for (std::size_t row = 0; row < groups.size(); ++row) {
    const std::size_t mine = part[std::size_t(groups[row])];
    const bool is_test = mine == std::size_t(folds.count);
    (is_test ? rows.test : folds.is_val(int(mine)) ? rows.val : rows.train).push_back(std::int64_t(row));
  }
  return rows;
}

Rows split_times(const Numbers& times, const Shares& shares) {
  Numbers order(times.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return times[std::size_t(a)] < times[std::size_t(b)]; });
  const auto border = [&](double share) {
    const auto wanted = std::size_t(std::llround(share * double(order.size())));
    return nearest_border(order, times, std::min(wanted, order.size()));
  };
  const std::size_t train = border(shares.train);
  const std::size_t val = shares.test > 0 ? std::max(train, border(shares.train + shares.val)) : order.size();
  const auto part = [&](std::size_t begin, std::size_t end) {
    Numbers rows(order.begin() + std::ptrdiff_t(begin), order.begin() + std::ptrdiff_t(end));
    std::sort(rows.begin(), rows.end());
    return rows;
  };
  return {part(0, train), part(train, val), part(val, order.size())};
}

}  // namespace dlrun::dataset
