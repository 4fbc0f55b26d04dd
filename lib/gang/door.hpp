// SPDX-License-Identifier: Apache-2.0
// A port at which processes of the gang on other hosts come in.
#pragma once
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "gang/secure_lines.hpp"

namespace dlrun::gang {

/// A process that came in.
struct Visitor {
  int process = 0;
  int port = 0;         ///< the process's own door
  std::string address;  ///< as it is seen from here
  std::string host;     ///< name of its host
  SecureLines lines;
};

/// First words of a process at a door.
struct Greeting {
  std::string token;
  int process = 0;
  int port = 0;
  std::string host;
};
std::string text_of(const Greeting& greeting);

/// A peer that does not hold the study's key, or names another gang, gets nothing and delays nobody: there is room for
/// a number of strangers, each for a short time, and the oldest makes room.
class Door {
 public:
  /// @param context  of the side that is called; @param token  of the gang
  Door(std::shared_ptr<const protocol::TlsContext> context, std::string token);

  int port() const { return port_; }
  /// The next process that has proved the key. nullopt: none came in this time.
  std::optional<Visitor> next(std::chrono::milliseconds most);

 private:
  using Clock = std::chrono::steady_clock;
  struct Stranger {
    SecureLines lines;
    std::string address;
    Clock::time_point until;
  };

  void wait(Clock::time_point until);
  void accept();
  void hear(std::size_t index);
  std::optional<Visitor> admitted(Stranger& stranger) const;

  std::shared_ptr<const protocol::TlsContext> context_;
  std::string token_;
  int port_ = 0;
  Descriptor listener_;
  std::deque<Stranger> strangers_;
  std::deque<Visitor> visitors_;
};

}  // namespace dlrun::gang
