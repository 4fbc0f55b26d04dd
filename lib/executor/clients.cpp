// SPDX-License-Identifier: Apache-2.0
#include "executor/clients.hpp"

#include <chrono>

#include "protocol/messages.hpp"

namespace dlrun::executor {

namespace {

constexpr std::size_t kMost = 64;              ///< clients at once
constexpr std::chrono::seconds kDeadline{30};  ///< time of each client, from connecting
constexpr std::size_t kMaxUnread = 4 << 20;    ///< bytes of replies that a client may leave unread

}  // namespace

bool Clients::enter(Connection& from) {
  if (clients_.size() >= kMost) return false;
  from.owner = next_++;
  clients_.emplace(from.owner, from.shared_from_this());
  return true;
}

void Clients::answer(std::int64_t client, const Json& reply) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) return;
  found->second->send(protocol::ControlReply{reply});
  found->second->flush();
  if (found->second->unwritten() <= kMaxUnread) return;
  found->second->close();
  clients_.erase(found);
}

void Clients::drop_slow() {
  std::erase_if(clients_, [](const auto& client) {
    const bool is_slow = std::chrono::steady_clock::now() - client.second->opened() > kDeadline;
    if (is_slow) client.second->close();
    return is_slow;
  });
}

}  // namespace dlrun::executor
