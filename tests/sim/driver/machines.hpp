// SPDX-License-Identifier: Apache-2.0
// Simulated workers on their machines, which outlive drivers, and what a driver must never do to them.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "executor/executor.hpp"
#include "outcome.hpp"
#include "timeline.hpp"
#include "util/random.hpp"

namespace dlrun::driver_sim {

using executor::AttemptKey;

/// A process that runs pieces one after another and keeps each result until it is acknowledged.
struct Worker {
  std::int64_t number = -1;  ///< by which the present driver knows it; -1: it does not
  std::string host;
  bool has_joined = false;  ///< it outlives the driver
  bool is_leaving = false;  ///< ends after the piece at hand
  bool is_alive = true;
  std::deque<trial::PieceOrder> orders;  ///< the first is the one at hand, if `is_running`
  bool is_running = false;
  std::uint64_t run = 0;  ///< counts what it began, so that an end that was planned can be called off
  std::map<AttemptKey, trial::PieceResult> unacknowledged;
  std::set<AttemptKey> abandoned;
  std::set<AttemptKey> unasked;  ///< held from another connection; the present driver has said nothing of it yet
  Time began{};                  ///< the piece at hand
  Time heard{};                  ///< when its last message arrives
};

/// How often each thing happened, by name; a simulation that never kills anybody proves nothing.
using Counts = std::map<std::string, int>;

/// All workers of a study and the messages that are on their way to its driver.
class Machines {
 public:
  Machines(const Scenario& scenario, Timeline& timeline);

  /// A driver begins: it starts its own workers; those that have joined come back a little later.
  void begin(int own_workers);
  /// It is dead, or has ended: its own workers end, whatever is on its way is lost.
  void end();

  void deliver(std::int64_t worker, const protocol::Message& message);
  void shut_down(Duration grace);
  /// Workers of this driver whose end was not reported.
  int alive() const { return int(present_.size()); }
  std::vector<executor::Happening> take_happenings() { return std::exchange(happenings_, {}); }
  bool has_happenings() const { return !happenings_.empty(); }
  /// Something that no worker says.
  void say(executor::Happening happening) { happenings_.push_back(std::move(happening)); }

  /// Results that a driver has acknowledged, by attempt.
  const std::set<AttemptKey>& acknowledged() const { return acknowledged_; }
  const std::vector<std::string>& faults() const { return faults_; }
  Counts& counts() { return counts_; }
  /// What each worker is doing, a line each.
  std::string describe() const;

 private:
  using Handle = std::shared_ptr<Worker>;

  void start(const std::string& host, bool has_joined, Duration after);
  void appear(const Handle& worker);
  void tell(const Handle& worker, executor::Happening happening);
  void tell_end(const Handle& worker, bool is_expected, const std::string& message);
  void handle(const Handle& worker, const protocol::Assign& assign);
  void handle(const Handle& worker, const protocol::Abandon& abandon);
  void was_asked(const Handle& worker, const AttemptKey& attempt);
  void go_on(const Handle& worker);
  void begin_piece(const Handle& worker);
  Duration length_of(const trial::PieceOrder& order);
  void finish(const Handle& worker, std::uint64_t run);
  trial::PieceResult result_of(const trial::PieceOrder& order);
  void send_result(const Handle& worker, const trial::PieceResult& result);
  void lie(const Handle& worker);
  void report(const Handle& worker, const trial::PieceResult& result);
  void die(const Handle& worker, std::uint64_t run);
  void fall_silent(const Handle& worker);
  void bury(const Handle& worker, bool is_expected, const std::string& message);
  Handle find(std::int64_t number) const;
  bool says_all() const { return !scenario_.artifacts.empty(); }
  bool chance(double probability) { return probability > 0 && random_.uniform() < probability; }

  const Scenario& scenario_;
  Timeline& timeline_;
  RandomStream random_;
  std::vector<Handle> workers_;
  std::vector<Handle> present_;  ///< those that the driver's executor has not reported the end of
  std::vector<executor::Happening> happenings_;
  std::uint64_t driver_ = 0;  ///< counts drivers: what was on its way to an earlier one is lost
  std::int64_t next_number_ = 0;
  bool is_shutting_down_ = false;
  /// Ever; of the test split's measurements, which are in no log until they are done, for this driver.
  std::set<AttemptKey> begun_;
  std::set<AttemptKey> excused_;  ///< may begin twice: a worker that was taken for dead held them
  std::set<AttemptKey> acknowledged_;
  std::set<trial::Member> had_transient_;
  std::set<trial::PieceKey> lacked_;
  std::vector<std::string> faults_;
  Counts counts_;
};

}  // namespace dlrun::driver_sim
