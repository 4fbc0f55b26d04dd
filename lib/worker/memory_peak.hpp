// SPDX-License-Identifier: Apache-2.0
// The most memory this process held during one piece of work: a worker lives for many, and the kernel's own mark
// (getrusage) never falls.
#pragma once
#include <cstdint>

namespace dlrun::worker {

class MemoryPeak {
 public:
  /// Sets the kernel's mark back to what is held now (/proc/self/clear_refs, about 10 µs). Where that is not allowed
  /// the mark stays, and bytes() is the peak since the process began.
  MemoryPeak();
  /// Resident bytes at the peak; 0 where unknown.
  std::int64_t bytes() const;
};

}  // namespace dlrun::worker
