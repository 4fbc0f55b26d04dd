// SPDX-License-Identifier: Apache-2.0
// Connections of one process of a gang to all others. One thread; nothing happens outside of its calls.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gang/link.hpp"
#include "gang/packet.hpp"
#include "gang/shared_memory.hpp"

namespace dlrun::gang {

/// The connection to a process broke: it has ended, or was ended.
struct PeerLost : std::runtime_error {
  PeerLost(int process, const std::string& how) : std::runtime_error(how), peer(process) {}
  int peer;
};

class Mesh {
 public:
  struct Received {
    int from = 0;  ///< process
    Packet packet;
  };

  /// @param self   process
  /// @param links  by process; its own place is closed
  Mesh(int self, std::vector<Link> links, const SharedMemory& memory);
  ~Mesh();
  Mesh(Mesh&&) noexcept;
  Mesh& operator=(Mesh&&) noexcept;

  int processes() const;
  /// Whether a process is this one or connected, and was not dropped.
  bool has(int process) const;
  /// A process is sent nothing more, and its end is no matter.
  void drop(int process);
  /// Whoever is lost is dropped, but for the first process.
  void forgive_losses(bool is_forgiving);
  /// Goes on at once; the packet leaves in the calls that follow.
  void send(int to, Packet packet);
  /// The next packet; waits for it. nullopt: none came in this time.
  /// @throws PeerLost, once all that it had sent was received
  std::optional<Received> receive(std::chrono::milliseconds most);
  /// Gives packets back, which receive() then returns first, in this order.
  void put_back(std::vector<Received> packets);
  /// Waits until all has left, or this time has passed. @return whether all has
  bool flush(std::chrono::milliseconds most);

 private:
  class Wire;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dlrun::gang
