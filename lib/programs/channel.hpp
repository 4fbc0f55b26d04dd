// SPDX-License-Identifier: Apache-2.0
// Lines over a pair of sockets.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "util/descriptor.hpp"

namespace dlrun::programs {

class Channel {
 public:
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.fd(); }
  /// Whole; waits while the other side does not read. One that has gone is no fault: the next read() says so.
  void say(std::string_view line);
  /// Takes what is there; waits for something, if there is nothing. False: the other side has gone.
  bool read();
  /// The next whole line that was read.
  std::optional<std::string> next();

 private:
  Descriptor socket_;
  std::string pending_;
  std::deque<std::string> lines_;
};

}  // namespace dlrun::programs
