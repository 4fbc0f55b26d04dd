// SPDX-License-Identifier: Apache-2.0
// A process's place in a gang, and the way to the others.
#pragma once
#include <vector>

#include "gang/batch_counter.hpp"
#include "gang/mesh.hpp"
#include "gang/shared_memory.hpp"

namespace dlrun::gang {

/// The first process has rank 0, reports, and keeps the checkpoints; the others follow it.
struct Place {
  /// @param sockets  connected, by process; its own place is closed
  Place(int number, std::vector<Descriptor> sockets, const SharedMemory& memory)
      : process(number), counter(memory.counter()), mesh(number, std::move(sockets), memory) {}

  int process = 0;
  BatchCounter counter;
  Mesh mesh;

  bool is_first() const { return process == 0; }
};

/// Descriptors under which a process that a crew started finds the shared memory and, from the second one on, its
/// sockets to all processes, in order; its own number stands for nothing.
inline constexpr int kFirstDescriptor = 3;

/// The next packet that is no message. Messages of ranks that have begun already are given back: they come after it.
Packet next_word(Mesh& mesh);

/// The place of a process that a crew started. @throws Error(outside)
Place place_of(int process, int processes);

}  // namespace dlrun::gang
