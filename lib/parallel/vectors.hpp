// SPDX-License-Identifier: Apache-2.0
// Arithmetic of flat weights. In timing mode they are empty, and nothing happens.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "parallel/shards.hpp"

namespace dlrun::parallel {

template <class Real>
using In = std::span<const std::type_identity_t<Real>>;

/// into += factor · numbers
template <class Real>
void add_to(std::vector<Real>& into, In<Real> numbers, double factor = 1) {
  for (std::size_t i = 0; i < numbers.size(); ++i) into[i] += Real(factor) * numbers[i];
}

/// into moves towards `other` by that share of the way: 0 stays, 1 is there.
template <class Real>
void mix(std::vector<Real>& into, In<Real> other, double share) {
  for (std::size_t i = 0; i < other.size(); ++i) into[i] += Real(share) * (other[i] - into[i]);
}

template <class Real>
void scale(std::vector<Real>& numbers, double factor) {
  for (Real& number : numbers) number *= Real(factor);
}

/// a − b
template <class Real>
std::vector<Real> difference(std::vector<Real> a, const std::vector<Real>& b) {
  add_to(a, b, -1);
  return a;
}

template <class Real>
std::vector<Real> slice(const std::vector<Real>& whole, const Shard& shard) {
  if (whole.empty()) return {};
  return {whole.begin() + std::ptrdiff_t(shard.begin), whole.begin() + std::ptrdiff_t(shard.end)};
}

template <class Real>
void append(std::vector<Real>& numbers, const std::vector<Real>& more) {
  numbers.insert(numbers.end(), more.begin(), more.end());
}

/// Cuts off the last `count` numbers. @return them
template <class Real>
std::vector<Real> cut_off(std::vector<Real>& numbers, std::size_t count) {
  if (numbers.empty()) return {};
  const auto at = numbers.end() - std::ptrdiff_t(count);
  std::vector<Real> tail(at, numbers.end());
  numbers.erase(at, numbers.end());
  return tail;
}

template <class Real>
void paste(std::vector<Real>& whole, const Shard& shard, const std::vector<Real>& part) {
  std::copy(part.begin(), part.end(), whole.begin() + (part.empty() ? 0 : std::ptrdiff_t(shard.begin)));
}

}  // namespace dlrun::parallel
