// SPDX-License-Identifier: Apache-2.0
// The thread that serves a worker's connection while the main thread computes.
#pragma once
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "worker/connection.hpp"
#include "worker/link.hpp"
#include "worker/pulse.hpp"
#include "worker/signals.hpp"

namespace dlrun::worker {

/// Deadlines are looked at every 100 ms.
///
/// A worker that joined over the network outlives its connection: it computes on, reads the endpoint file again,
/// connects again within the driver's grace, and says which attempts it holds and every result that was not
/// acknowledged. A driver that took a dead one's place lets it go on with the attempts that are still wanted; the
/// others it has abandoned, or fences.
class Server {
 public:
  /// Connects and starts the thread. To be made before any other thread. @throws as Connection::open.
  explicit Server(const Options& options);
  ~Server();

  Link& link() { return link_; }

 private:
  using Clock = std::chrono::steady_clock;

  void serve();
  void serve_once(bool is_readable);
  /// Waits for bytes, a signal or the next look at the clock. @return whether there are bytes
  bool wait();
  void take_signal();
  void lose_driver();
  void come_back();
  bool try_to_come_back(std::string& fault);
  void look_at_clock();
  [[noreturn]] void leave_at_once();

  const Options options_;
  Signals signals_;
  Connection connection_;
  protocol::Welcome welcome_;  ///< the first one
  Pulse pulse_;
  Link link_;
  std::atomic<bool> is_closing_{false};
  std::thread thread_;
};

}  // namespace dlrun::worker
