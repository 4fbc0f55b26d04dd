// SPDX-License-Identifier: Apache-2.0
// Ways to deal the training examples out to ranks. Examples are numbers from 0, in the order of the training split.
// Pure values; no tensor in sight.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "dataset/batch_section.hpp"
#include "util/random.hpp"

namespace dlrun::data {

/// Examples in an order.
using Order = std::vector<std::int64_t>;
/// Rank of each example: none is left out, and none has two.
using Owners = std::vector<int>;

/// 0, 1, … count - 1.
Order file_order(std::int64_t count);
/// Fisher and Yates.
Order shuffled(Order order, RandomStream stream);
/// The largest value first, or last; equal ones by their number.
Order sorted_by(std::span<const float> values, bool is_descending);
/// Class after class, each in the order given.  @param labels  class of each example
Order class_by_class(const Order& order, std::span<const std::int64_t> labels);

/// Example k of the order goes to rank k mod ranks: sizes differ by at most 1, and so do those of every stretch.
Owners deal_round(const Order& order, int ranks);
/// Block b has places [b D / ranks, (b + 1) D / ranks) of the order, and goes to rank (b + turn) mod ranks.
Owners deal_blocks(const Order& order, int ranks, std::int64_t turn = 0);

/// Label skew: examples of each class, shuffled, are cut by shares that follow a symmetric Dirichlet distribution
/// (Yurochkin et al., ICML 2019; Li et al., ICDE 2022). Drawn again until every rank has an example.
/// Streams: {"partition", "dirichlet", replicate, class, try}.
/// @throws Error(usage) where no draw of a thousand gives each rank one
Owners deal_dirichlet(std::span<const std::int64_t> labels, int ranks, double alpha, std::uint64_t seed, int replicate);

/// Shares of one class by rank, which sum to 1.
std::vector<double> dirichlet_shares(int ranks, double alpha, RandomStream& stream);
/// Ends of stretches: the whole part of count times the sum of the shares so far; the last end is count.
std::vector<std::int64_t> cut_by(std::span<const double> shares, std::int64_t count);

/// Examples of each rank, in their order.
std::vector<Order> parts_of(const Owners& owners, int ranks);
/// @throws Error(internal) unless every example below `count` is in exactly one part
void require_cover(const std::vector<Order>& parts, std::int64_t count);

using dataset::batches_of;

}  // namespace dlrun::data
