// SPDX-License-Identifier: Apache-2.0
// Door for workers of other machines: TCP with TLS and the study's key. Private to this room.
#pragma once
#include <optional>
#include <string>

#include "executor/executor.hpp"
#include "executor/hub_options.hpp"
#include "executor/listener.hpp"

namespace dlrun::executor {

class RemoteDoor {
 public:
  /// @param callbacks  for admitted peers; refusals are counted here
  /// @throws Error(usage) if the key is not private, Error(outside) if it cannot listen.
  RemoteDoor(boost::asio::io_context& loop, const NetworkOptions& options, Listener::Callbacks callbacks);

  const Reach& reach() const { return reach_; }
  /// Why a worker that holds the key is refused all the same; empty: it is admitted.
  std::string fault_of(const protocol::Hello& hello) const;
  /// Drops slow strangers. Call it now and then.
  void watch() { listener_.watch(); }
  /// Report about strangers that is due now; nullopt: none.
  std::optional<StrangerRefused> take_refused();

 private:
  using Clock = std::chrono::steady_clock;
  Listener::Callbacks counting(Listener::Callbacks callbacks);

  NetworkOptions options_;
  protocol::TlsContext tls_;
  Acceptor acceptor_;
  Reach reach_;
  Listener listener_;
  std::optional<StrangerRefused> refused_;
  std::optional<Clock::time_point> told_;
};

}  // namespace dlrun::executor
