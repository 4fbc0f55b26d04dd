// SPDX-License-Identifier: Apache-2.0
// Frames between the driver and the process of a plugin: a length of 32 bits, then MessagePack.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/descriptor.hpp"
#include "util/json.hpp"

namespace dlrun::guest {

using Deadline = std::chrono::steady_clock::time_point;

/// Outcome of an exchange; all but `done` end the connection. too_long: the frame has more than kMostBytes.
enum class Outcome { done, late, closed, damaged, too_long };

/// Most bytes of a frame. A receiver keeps all of it in memory.
inline constexpr std::size_t kMostBytes = std::size_t(1) << 30;

/// Appends the frame of a message to bytes that are to be sent. @throws Error(outside) past kMostBytes.
void append_frame(std::string& bytes, const Json& message);

/// One end of a pair of sockets.
class Channel {
 public:
  Channel() = default;
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  bool is_open() const { return socket_.is_open(); }
  void close() { socket_.close(); }
  /// @param deadline  nullopt: waits however long it takes
  Outcome send(std::string_view bytes, std::optional<Deadline> deadline);
  Outcome receive(Json& message, std::optional<Deadline> deadline);

 private:
  /// Length of the next frame; nullopt: it has not come.
  std::optional<std::uint32_t> promised() const;
  /// The next frame among the bytes that have come. False: more bytes are needed.
  bool next_frame(Json& message);

  Descriptor socket_;
  std::string bytes_;
  std::size_t begin_ = 0;  ///< bytes before it were taken
};

}  // namespace dlrun::guest
