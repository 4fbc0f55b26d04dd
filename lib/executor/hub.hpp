// SPDX-License-Identifier: Apache-2.0
// Hub of an executor: everything but starting workers. It listens, checks who connects, carries messages and watches.
// One thread; everything happens inside wait().
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/executor.hpp"
#include "executor/hub_options.hpp"

namespace dlrun::executor {

class Pool;

class Hub : public Executor {
 public:
  /// @throws Error(usage) if the socket's path is too long or the study's key is not private; Error(outside) if it
  /// cannot listen.
  Hub(const HubOptions& options, std::unique_ptr<Pool> pool);
  ~Hub() override;  ///< ends all workers

  void start(int workers) override;
  std::vector<Happening> wait(std::chrono::milliseconds most) override;
  std::chrono::steady_clock::time_point read_up_to() const override;
  void send(std::int64_t worker, const protocol::Message& message) override;
  void flush() override;
  void answer(std::int64_t client, const Json& reply) override;
  void need(int workers) override;
  void shut_down(std::chrono::milliseconds grace) override;
  int alive() const override;
  std::string address() const override;
  /// Address for other machines; nullopt: it does not listen for them.
  std::optional<Reach> reach() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dlrun::executor
