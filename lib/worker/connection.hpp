// SPDX-License-Identifier: Apache-2.0
// The connection of a worker to its driver, which another one may replace.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/messages.hpp"
#include "worker/wire.hpp"
#include "worker/worker.hpp"

namespace dlrun::worker {

/// Threads: write() and shut_down() are for any, the rest for one that serves the connection.
class Connection {
 public:
  /// @param options  outlive it
  explicit Connection(const Options& options);

  /// Connects, says hello, waits for the welcome (30 s); the connection then takes the place of the one before.
  /// @throws Error(outside), Error(usage) if the driver refuses, or driver and worker are of different versions.
  protocol::Welcome open(std::vector<protocol::Held> holds);

  /// File of the study's key, as it was found; empty for a worker of this machine.
  const std::string& key() const { return key_; }
  /// Readable if there is something to receive().
  int descriptor() const { return wire_->descriptor(); }
  /// Takes bytes from the wire. False: the driver is gone, and the connection broken.
  bool receive();
  /// Whole messages that came; those that came with the welcome too.
  std::vector<protocol::Message> messages();

  /// The frames are on their way when it returns; over a broken connection they are dropped. False: the driver is gone.
  bool write(std::string_view frames);
  /// Writes nothing until another one is open.
  void note_broken() { is_broken_ = true; }
  bool is_broken() const { return is_broken_; }
  /// Ends reading and writing, for all threads.
  void shut_down();

 private:
  std::unique_ptr<Wire> connect();
  protocol::Welcome greet(Wire& wire, std::vector<protocol::Held> holds);
  protocol::Message receive_one(Wire& wire);

  const Options& options_;
  const std::string session_;  ///< name of a worker that joined: the same on every connection
  std::string token_, key_;
  protocol::Decoder decoder_;
  std::atomic<bool> is_broken_{false};
  std::mutex mutex_;  ///< guards wire_, for others than the serving thread
  std::shared_ptr<Wire> wire_;
};

}  // namespace dlrun::worker
