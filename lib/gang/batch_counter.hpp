// SPDX-License-Identifier: Apache-2.0
// A number that all processes of a gang count up together, in memory that they share.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

namespace dlrun::gang {

/// Batches of an epoch, for ranks that take the next one that nobody has.
class BatchCounter {
 public:
  /// @param memory  zeros at first, the same for all processes; lent
  explicit BatchCounter(std::span<std::byte> memory) : count_(std::launder(reinterpret_cast<Count*>(memory.data()))) {}

  /// From 0. REQUIRES: no process counts meanwhile.
  void restart() { count_->store(0); }
  /// The next number.
  std::int64_t next() { return count_->fetch_add(1); }
  std::int64_t value() const { return count_->load(); }

 private:
  using Count = std::atomic<std::int64_t>;
  static_assert(Count::is_always_lock_free);
  Count* count_;
};

}  // namespace dlrun::gang
