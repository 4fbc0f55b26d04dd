// SPDX-License-Identifier: Apache-2.0
// Control clients: commands of people that talk to the driver for a moment (`dlrun stop`). Private to this room.
#pragma once
#include <cstdint>
#include <map>
#include <memory>

#include "executor/connection.hpp"
#include "util/json.hpp"

namespace dlrun::executor {

class Clients {
 public:
  /// Admits a client. @return false: there are too many at once
  bool enter(Connection& from);
  void leave(const Connection& from) { clients_.erase(from.owner); }
  /// Sends a reply, if the client is still there. A client that asks again and again and never reads is cut off.
  void answer(std::int64_t client, const Json& reply);
  /// Cuts off clients that have been connected for too long.
  void drop_slow();

 private:
  std::int64_t next_ = 0;
  std::map<std::int64_t, std::shared_ptr<Connection>> clients_;
};

}  // namespace dlrun::executor
