// SPDX-License-Identifier: Apache-2.0
#include "data/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "data/gamma.hpp"
#include "util/error.hpp"
#include "util/shuffle.hpp"

namespace dlrun::data {

Order file_order(std::int64_t count) {
  Order order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Order shuffled(Order order, RandomStream stream) {
  shuffle(order, stream);
  return order;
}

Order sorted_by(std::span<const float> values, bool is_descending) {
  Order order = file_order(std::int64_t(values.size()));
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const float first = values[std::size_t(a)], second = values[std::size_t(b)];
    return is_descending ? first > second : first < second;
  });
  return order;
}

Order class_by_class(const Order& order, std::span<const std::int64_t> labels) {
  Order sorted = order;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::int64_t a, std::int64_t b) { return labels[std::size_t(a)] < labels[std::size_t(b)]; });
  return sorted;
}

Owners deal_round(const Order& order, int ranks) {
  Owners owners(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) owners[std::size_t(order[k])] = int(k % std::size_t(ranks));
  return owners;
}

Owners deal_blocks(const Order& order, int ranks, std::int64_t turn) {
  Owners owners(order.size());
  const auto count = std::int64_t(order.size());
  for (std::int64_t block = 0; block < ranks; ++block) {
    const std::int64_t begin = block * count / ranks, end = (block + 1) * count / ranks;
    for (std::int64_t k = begin; k < end; ++k) owners[std::size_t(order[std::size_t(k)])] = int((block + turn) % ranks);
  }
  return owners;
}

std::vector<double> dirichlet_shares(int ranks, double alpha, RandomStream& stream) {
  std::vector<double> shares(static_cast<std::size_t>(ranks));
  for (double& share : shares) share = draw_log_gamma(alpha, stream);
  const double largest = *std::max_element(shares.begin(), shares.end());
  for (double& share : shares) share = std::exp(share - largest);
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

std::vector<std::int64_t> cut_by(std::span<const double> shares, std::int64_t count) {
  std::vector<std::int64_t> ends;
  double sum = 0;
  for (const double share : shares) {
    sum += share;
    ends.push_back(std::min(count, std::int64_t(sum * double(count))));
  }
  ends.back() = count;
  return ends;
}

namespace {

constexpr int kMostTries = 1000;

Owners draw_owners(const std::vector<Order>& classes, std::size_t count, int ranks, double alpha, std::uint64_t seed,
                   const std::string& replicate, int attempt) {
  Owners owners(count);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    RandomStream stream(seed, {"partition", "dirichlet", replicate, std::to_string(k), std::to_string(attempt)});
    const std::vector<std::int64_t> ends =
        cut_by(dirichlet_shares(ranks, alpha, stream), std::int64_t(classes[k].size()));
    const Order order = shuffled(classes[k], stream);
    for (std::size_t i = 0, rank = 0; i < order.size(); ++i) {
      while (std::int64_t(i) >= ends[rank]) ++rank;
      owners[std::size_t(order[i])] = int(rank);
    }
  }
  return owners;
}

bool has_all(const Owners& owners, int ranks) {
  std::vector<bool> seen(static_cast<std::size_t>(ranks));
  for (const int owner : owners) seen[std::size_t(owner)] = true;
  return std::find(seen.begin(), seen.end(), false) == seen.end();
}

}  // namespace

Owners deal_dirichlet(std::span<const std::int64_t> labels, int ranks, double alpha, std::uint64_t seed,
                      int replicate) {
  std::vector<Order> classes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto label = std::size_t(labels[i]);
    if (label >= classes.size()) classes.resize(label + 1);
    classes[label].push_back(std::int64_t(i));
  }
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    Owners owners = draw_owners(classes, labels.size(), ranks, alpha, seed, std::to_string(replicate), attempt);
    if (has_all(owners, ranks)) return owners;
  }
  throw Error(ErrorKind::usage,
              fmt::format("data.partition: no draw with alpha {} gives each of {} ranks an example", alpha, ranks),
              "write a larger alpha, or fewer ranks");
}

std::vector<Order> parts_of(const Owners& owners, int ranks) {
  std::vector<Order> parts(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < owners.size(); ++i) parts.at(std::size_t(owners[i])).push_back(std::int64_t(i));
  return parts;
}

void require_cover(const std::vector<Order>& parts, std::int64_t count) {
  std::vector<bool> seen(static_cast<std::size_t>(count));
  std::int64_t sum = 0;
  for (const Order& part : parts) {
    for (const std::int64_t example : part) {
      if (example < 0 || example >= count || seen[std::size_t(example)])
        throw Error(ErrorKind::internal, fmt::format("a partition has example {} twice, or there is none", example));
      seen[std::size_t(example)] = true;
      ++sum;
    }
  }
  if (sum != count) throw Error(ErrorKind::internal, fmt::format("a partition has {} examples of {}", sum, count));
}

}  // namespace dlrun::data
