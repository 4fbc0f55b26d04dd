// SPDX-License-Identifier: Apache-2.0
// Memory that all processes of a gang share: the counter of batches, and a ring from each process to each other one.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "util/descriptor.hpp"

namespace dlrun::gang {

class SharedMemory {
 public:
  /// Memory for so many processes, to be passed to all of them; zeros. @throws Error(outside)
  static Descriptor make(int processes);
  /// @param file  of make(), in this process or the one that it was passed on from  @throws Error(outside)
  SharedMemory(const Descriptor& file, int processes);

  std::span<std::byte> counter() const;
  std::span<std::byte> ring(int from, int to) const;

 private:
  int processes_;
  std::shared_ptr<std::byte> all_;
};

}  // namespace dlrun::gang
