// SPDX-License-Identifier: Apache-2.0
// A worker that joined from elsewhere: we did not start it, and know of it only what comes over its connection. When
// that breaks it may come back within the grace time with all it holds; then its work goes to others. Private to this
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
  /// A worker may come back under its session: it has neither ended nor been told to.
  bool may_return() const { return !has_ended() && !sentence.reason() && !is_told_to_end_; }
  /// Orders that it may not have got: sent once more, and it leaves aside those it has.
  std::vector<protocol::Message> open_orders() const;

  /// Ends a worker that will not come back.
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
  const std::string& job() const override { return job_; }
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
  std::set<AttemptKey> brought_;  ///< orders that it came with, and that were neither repeated nor abandoned yet
  std::vector<protocol::Message> orders_;  ///< Assign and Abandon messages that it has not answered
  std::optional<Transfer> transfer_;       ///< set if the worker does not see the store
  std::optional<Ending> ended_;
  bool is_told_to_end_ = false;
};

}  // namespace dlrun::executor
