// SPDX-License-Identifier: Apache-2.0
// People's commands that talk to the driver (`dlrun stop`), each for a moment. Private to this room.
#pragma once
#include <cstdint>
#include <map>
#include <memory>

#include "executor/connection.hpp"
#include "util/json.hpp"

namespace dlrun::executor {

class Clients {
 public:
  /// Takes a client in. False: there are too many at once.
  bool enter(Connection& from);
  void leave(const Connection& from) { clients_.erase(from.owner); }
  /// Answers a client, if it is still there. A client that keeps asking and never reads is cut off.
  void answer(std::int64_t client, const Json& reply);
  /// Drops clients that have been here for too long.
  void drop_slow();

 private:
  std::int64_t next_ = 0;
  std::map<std::int64_t, std::shared_ptr<Connection>> clients_;
};

}  // namespace dlrun::executor
