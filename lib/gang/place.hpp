// SPDX-License-Identifier: Apache-2.0
// A process's place in a gang, and the way to the others.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "gang/batch_counter.hpp"
#include "gang/household.hpp"
#include "gang/mesh.hpp"
#include "gang/shared_memory.hpp"

namespace dlrun::gang {

/// The first process has rank 0, reports, and keeps the checkpoints; the others follow it.
struct Place {
  /// @param links  by process; its own is closed
  Place(int number, std::vector<Link> links, const SharedMemory& memory, bool is_on_first_host = true)
      : process(number),
        counts_batches(is_on_first_host),
        counter(memory.counter()),
        mesh(number, std::move(links), memory) {}

  int process = 0;
  bool counts_batches = true;  ///< false: the first process, on another host, is asked for batches
  BatchCounter counter;        ///< shared by the processes of the first one's host
  Mesh mesh;
  int generation = 0;                ///< Packet's, now
  std::function<void()> renew = {};  ///< the first process's: starts all others anew, with the same order

  bool is_first() const { return process == 0; }
  /// Processes that are connected, but for this one, in order.
  std::vector<int> others() const;
  /// Whether no process was dropped.
  bool is_whole() const { return int(others().size()) + 1 == mesh.processes(); }
  void send(int to, Packet packet) {
    packet.generation = generation;
    mesh.send(to, std::move(packet));
  }
};

/// The next packet that is no message. Messages of ranks that have begun already are given back: they come after it.
Packet next_word(Mesh& mesh);

}  // namespace dlrun::gang
