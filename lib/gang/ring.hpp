// SPDX-License-Identifier: Apache-2.0
// Numbers on their way from one process to another of the same host, in memory that both share.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dlrun::gang {

/// One direction between two processes: one of them puts, the other takes in the same order. Where numbers lie is said
/// by other means. Memory that was never needed is never touched.
class Ring {
 public:
  /// @param memory  zeros at first, aligned to 64 bytes, the same for both processes; lent
  explicit Ring(std::span<std::byte> memory);

  /// @return their position; nullopt: there is no room
  std::optional<std::uint64_t> put(std::span<const float> numbers);
  /// Numbers from a position that put() gave. Their room is free afterwards.
  std::vector<float> pop(std::uint64_t position, std::size_t count);

 private:
  using Freed = std::atomic<std::uint64_t>;

  Freed* freed_;  ///< all before it was taken; shared
  std::byte* room_;
  std::uint64_t size_;
  std::uint64_t next_ = 0;   ///< position of the next numbers; the putting side's
  std::uint64_t floor_ = 0;  ///< likewise: nothing before it is under way
};

}  // namespace dlrun::gang
