// SPDX-License-Identifier: Apache-2.0
// Where workers of other machines come in: TCP with TLS and the study's key. Private to this room.
#pragma once
#include <optional>
#include <string>

#include "executor/executor.hpp"
#include "executor/hub_options.hpp"
#include "executor/listener.hpp"

namespace dlrun::executor {

class RemoteDoor {
 public:
  /// @param callbacks  of known peers; who is refused is counted here
  /// @throws Error(usage) if the key is not private, Error(outside) if it cannot listen.
  RemoteDoor(boost::asio::io_context& loop, const NetworkOptions& options, Listener::Callbacks callbacks);

  const Reach& reach() const { return reach_; }
  /// Why a worker that holds the key is not let in all the same; empty: it is.
  std::string fault_of(const protocol::Hello& hello) const;
  /// To be called now and then.
  void watch() { listener_.watch(); }
  /// Refused strangers that people should be told of now.
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
