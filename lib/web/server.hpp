// SPDX-License-Identifier: Apache-2.0
// HTTP on the loopback address for one person's browser.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "web/site.hpp"

namespace dlrun::web {

/// Answers requests until SIGINT, SIGTERM or SIGHUP (its terminal was closed). One thread: an answer is computed while
/// the other requests wait. At most 64 connections; a request has 10 seconds, 8 KiB of head and no body. An answer may
/// take as long as the browser takes some of it every 10 seconds.
class Server {
 public:
  /// Binds 127.0.0.1. @param port  0: any free one
  /// @throws Error(usage) where the port is taken
  explicit Server(std::uint16_t port);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  void serve(const std::function<Answer(const Request&)>& answer);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dlrun::web
