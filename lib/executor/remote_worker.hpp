// SPDX-License-Identifier: Apache-2.0
// Worker that joined from another machine: the pool did not start it, and knows only its messages. If its connection
// breaks, it may return within the grace time with all its attempts; afterwards these go to others. Private to this
// room.
#pragma once
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "executor/transfer.hpp"
#include "executor/worker.hpp"

namespace dlrun::executor {

class RemoteWorker final : public Worker {
 public:
  RemoteWorker(const HubOptions& options, std::int64_t number, const protocol::Hello& hello);

  const std::string& session() const { return session_; }
  /// Job of a cluster that it belongs to; empty: none.
  const std::string& job() const { return job_; }
  /// May the worker return under its session? It has neither ended nor been told to.
  bool may_return() const { return !has_ended() && !sentence.reason() && !is_told_to_end_; }
  /// Orders that may not have arrived: they are repeated, and the worker ignores those it has.
  std::vector<protocol::Message> open_orders() const;

  /// Notes that the worker will not return.
  void has_gone(const std::string& how) { ended_ = {trial::Cause::worker_lost, how}; }

  std::optional<std::vector<protocol::Message>> carry(const protocol::Message& message) override;
  void examine(trial::PieceResult& result) const override;
  void complete(protocol::Welcome& words) const override;
  WorkerReady introduction() const override;
  void beat(std::int64_t steps) override;
  /// Orders wait for its return.
  bool takes_orders() const override { return true; }
  void note_order(const AttemptKey& attempt) override;
  void note_sent(const protocol::Message& message) override;
  void lost_connection(const std::string& reason) override;
  void left(const std::string& reason) override;
  const std::string& host() const override { return host_; }
  std::int64_t pid() const override { return pid_; }
  bool has_ended() const override { return ended_.has_value(); }
  bool is_over() const override { return has_ended(); }
  std::string log_tail() const override { return {}; }

 private:
  void look() override;
  void ask_to_end() override;
  void make_end() override;
  Ending natural_ending() const override { return *ended_; }
  double silence_limit() const override { return std::max(grace(), options().lost_after); }
  double grace() const { return options().network ? options().network->grace : 0; }

  std::string session_;
  std::int64_t pid_;
  std::string host_;
  std::string job_;
  std::set<AttemptKey> brought_;           ///< orders that it came with, neither repeated nor abandoned yet
  std::vector<protocol::Message> orders_;  ///< Assign and Abandon of unanswered attempts
  std::optional<Transfer> transfer_;       ///< set if it does not see the store
  std::optional<Ending> ended_;
  bool is_told_to_end_ = false;
};

}  // namespace dlrun::executor
