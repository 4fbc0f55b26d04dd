// SPDX-License-Identifier: Apache-2.0
#include "gang/ring.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace dlrun::gang {

namespace {

constexpr std::uint64_t kLine = 64;

std::uint64_t lines_of(std::size_t numbers) { return (numbers * sizeof(float) + kLine - 1) / kLine * kLine; }
std::uint64_t up_to(std::uint64_t position, std::uint64_t multiple) {
  return (position + multiple - 1) / multiple * multiple;
}

}  // namespace

Ring::Ring(std::span<std::byte> memory)
    : freed_(std::launder(reinterpret_cast<Freed*>(memory.data()))),
      room_(memory.data() + kLine),
      size_((memory.size() - kLine) / kLine * kLine) {}

std::optional<std::uint64_t> Ring::put(std::span<const float> numbers) {
  const std::uint64_t needed = lines_of(numbers.size());
  if (needed > size_) return std::nullopt;
  const std::uint64_t freed = freed_->load(std::memory_order_acquire);
  if (std::max(freed, floor_) == next_) next_ = floor_ = up_to(next_, size_);  // empty: the memory that is warm
  std::uint64_t position = next_;
  if (position % size_ + needed > size_) position = up_to(position, size_);
  if (position + needed - std::max(freed, floor_) > size_) return std::nullopt;
  std::memcpy(room_ + position % size_, numbers.data(), numbers.size_bytes());
  next_ = position + needed;
  return position;
}

std::vector<float> Ring::pop(std::uint64_t position, std::size_t count) {
  const auto* from = reinterpret_cast<const float*>(room_ + position % size_);
  std::vector<float> numbers(from, from + count);
  freed_->store(position + lines_of(count), std::memory_order_release);
  return numbers;
}

}  // namespace dlrun::gang
