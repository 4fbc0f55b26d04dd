// SPDX-License-Identifier: Apache-2.0
// The loop of a server: lines in, replies out, one request after the other.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "mcp/lines.hpp"
#include "mcp/server.hpp"

namespace dlrun::mcp {

inline constexpr std::size_t kLongestLine = 1 << 20;  ///< bytes of a message
inline constexpr std::size_t kMostWaiting = 1000;     ///< messages that wait; the client's writes block beyond them

/// Messages that wait for their turn. A cancelled request leaves and gets no reply; the one that is being carried out
/// ends by itself, because every tool has a limit of time.
class Inbox {
 public:
  void add(const Line& line);
  /// The next message, or the reply to a line that is none.
  struct Waiting {
    Json message;
    std::optional<Json> reply = {};
  };
  std::optional<Waiting> next();
  bool is_empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }

 private:
  void cancel(const Json& id);

  std::deque<Waiting> waiting_;
};

/// Serves until the stream ends or the writer says false. @param write  takes a whole line with its end
void serve(int in, const std::function<bool(const std::string& line)>& write, Server& server);

}  // namespace dlrun::mcp
