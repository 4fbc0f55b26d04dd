// SPDX-License-Identifier: Apache-2.0
// Messages that carry some numbers of a shard, or short ones, and their size on the wire. In timing mode there are no
// numbers, and sizes follow from shares.
#pragma once
#include <bit>
#include <cmath>

#include "parallel/message.hpp"
#include "parallel/vectors.hpp"

namespace dlrun::parallel {

inline constexpr double kWithPlaces = 2;  ///< bytes of a float32 with its place, an int32, per byte of a float32

/// Rounded to bfloat16, ties to even; infinities and NaNs stay.
inline float to_bf16(float number) {
  if (!std::isfinite(number)) return number;
  const auto bits = std::bit_cast<std::uint32_t>(number);
  return std::bit_cast<float>((bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff0000U);
}

template <class Real>
void round_to_bf16(std::vector<Real>& numbers) {
  for (Real& number : numbers) number = Real(to_bf16(float(number)));
}

/// All numbers of the shard, zeros where the message has none.
template <class Real>
std::vector<Real> unpacked(const Message<Real>& message, std::size_t size) {
  if (!message.is_sparse) return message.numbers;
  std::vector<Real> all(size);
  for (std::size_t i = 0; i < message.places.size(); ++i) all[message.places[i]] = message.numbers[i];
  return all;
}

/// into += the message's numbers
template <class Real>
void add_packed(std::vector<Real>& into, const Message<Real>& message) {
  if (!message.is_sparse) return add_to(into, message.numbers);
  for (std::size_t i = 0; i < message.places.size(); ++i) into[message.places[i]] += message.numbers[i];
}

/// Sets the numbers that the message has.
template <class Real>
void paste_packed(std::vector<Real>& whole, const Shard& shard, const Message<Real>& message) {
  if (!message.is_sparse) return paste(whole, shard, message.numbers);
  for (std::size_t i = 0; i < message.places.size(); ++i) whole[shard.begin + message.places[i]] = message.numbers[i];
}

/// Makes a message of all numbers one of some, unless places would make it larger.
/// @param part  of the shard's numbers, in timing mode  @param keeps  whether the number at a place is needed
template <class Real, class Keeps>
void thin_out(Message<Real>& message, const Shard& shard, double part, Keeps keeps) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < message.numbers.size(); ++i) {
    if (keeps(i)) places.push_back(i);
  }
  if (!message.numbers.empty()) part = double(places.size()) / double(message.numbers.size());
  if (part * kWithPlaces >= 1) return;
  for (std::size_t i = 0; i < places.size(); ++i) message.numbers[i] = message.numbers[places[i]];
  message.numbers.resize(places.size());
  message.places = std::move(places);
  message.is_sparse = !message.places.empty() || shard.size() > 0;
  message.share = part * shard.share;
  message.packed = kWithPlaces;
}

/// The sum of two messages about one shard, which has the numbers of both.
template <class Real>
void join(Message<Real>& sum, const Message<Real>& part, const Shard& shard) {
  sum.samples += part.samples;
  if (sum.packed != kWithPlaces && part.packed != kWithPlaces) return add_to(sum.numbers, part.numbers);
  const double untouched = (1 - sum.share / shard.share) * (1 - part.share / shard.share);
  sum.numbers = unpacked(sum, shard.size());
  add_packed(sum.numbers, part);
  sum.places.clear();
  sum.is_sparse = false;
  sum.share = shard.share;
  sum.packed = 1;
  thin_out(sum, shard, 1 - untouched, [&](std::size_t i) { return sum.numbers[i] != 0; });
}

}  // namespace dlrun::parallel
