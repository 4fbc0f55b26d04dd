// SPDX-License-Identifier: Apache-2.0
// Processes of a gang once more, as they were recorded, all in this one. A process goes on as soon as what it did next
// can happen; the order in which processes do so changes nothing. A function of its arguments: no clock, no thread.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parallel/process.hpp"
#include "parallel/record.hpp"

namespace dlrun::parallel {

template <class Real>
class Replay final : public Backend, private Process<Real>::Outside {
 public:
  /// @param gang, algorithm, members, learner  lent; a method out of step
  /// @param records  by process
  /// @throws Error(store) for records that are damaged, or of another gang
  Replay(const Gang& gang, const Algorithm<Real>& algorithm, Members<Real>& members, Learner<Real>& learner,
         const typename Process<Real>::Options& options, const std::vector<std::string>& records);

  void begin(const Deal& deal) override;
  /// @throws Error(store) where no process can go on, or a batch is not the epoch's
  bool advance() override;
  void end() override;

  std::int64_t started() const override { return started_; }
  std::int64_t settled() const override { return started_; }
  std::int64_t begun() const override { return begun_; }
  /// A record has no times.
  double now() const override { return 0; }
  std::vector<Cost> costs() const override;
  double bytes() const override;

 private:
  /// A process, and how far it is.
  struct Player {
    std::vector<RecordedEvent> events;
    std::size_t place = 0;   ///< events that have happened
    std::int64_t begun = 0;  ///< batches that ranks had begun when it last took a message in
    std::unique_ptr<Process<Real>> process = {};

    bool is_done() const { return place == events.size(); }
    const RecordedEvent& next() const { return events[place]; }
  };
  /// On its way to a node.
  struct Sent {
    int to;
    Message<Real> message;
  };

  void find_batch(Process<Real>&) override {}
  void send(Process<Real>& from, int to, Message<Real> message) override;
  std::deque<Sent>& between(int from, int to) { return sent_[{from, to}]; }
  bool can_go_on(Player& player);
  void go_on(Player& player);
  void compute(Player& player, std::int64_t batch);
  void require_batch(const Player& player, int rank, std::int64_t batch) const;
  void require_end();
  [[noreturn]] void fail_waiting();

  const Gang& gang_;
  std::vector<Player> players_;                           ///< by process
  std::size_t turn_ = 0;                                  ///< the process that is asked first
  std::map<std::pair<int, int>, std::deque<Sent>> sent_;  ///< not taken in, by sender and receiver
  Deal deal_;
  std::vector<bool> computed_;  ///< by batch
  std::int64_t started_ = 0;
  std::int64_t begun_ = 0;  ///< as the process under way knows it
};

}  // namespace dlrun::parallel
