// SPDX-License-Identifier: Apache-2.0
// A worker of a `function` study that takes its time over what is computed at once: it takes orders, reports on the way
// and answers, as dlrun-worker does. No socket and no clock inside.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages.hpp"
#include "trial/runner.hpp"

namespace dlrun::cluster {

/// What all workers of a run do and saw. Times are in seconds.
struct Figures {
  double epoch = 0.1;                ///< how long one takes: an epoch is one report
  std::vector<double> answered;      ///< from a result to the next order or acknowledgement
  std::vector<double> acknowledged;  ///< from a result to its acknowledgement: it is on the disk
  long orders = 0, results = 0, reports = 0, fenced = 0;
  double busy = 0;  ///< all workers together
};

class SimulatedWorker {
 public:
  SimulatedWorker(int number, Figures& figures) : number_(number), figures_(figures) {}

  /// @param token  of the driver, as its endpoint's file says
  std::string hello(const std::string& token) const;
  /// @throws Error where the driver refuses it.
  void handle(protocol::Message message, double now);
  /// Frames that leave now.
  std::string act(double now);
  /// When it has to act next.
  double due() const;

  bool is_welcome() const { return is_welcome_; }
  /// The driver said shutdown, and has acknowledged every result.
  bool is_done() const { return is_ending_ && unacknowledged_.empty(); }
  std::size_t unacknowledged() const { return unacknowledged_.size(); }

 private:
  using Attempt = std::pair<trial::PieceKey, int>;
  void begin(double now);
  double end() const { return begun_ + figures_.epoch * double(orders_.front().to_step - orders_.front().from_step); }
  std::string report_until(double now);
  std::string finish(double now);
  void acknowledge(const Attempt& attempt, double now);
  void is_answered(double now);

  int number_;
  Figures& figures_;
  std::unique_ptr<trial::Runner> runner_;
  double heartbeat_ = 5, next_heartbeat_ = 0, next_tick_ = 0;
  std::int64_t steps_ = 0;
  std::deque<trial::PieceOrder> orders_;  ///< the first is under way
  trial::PieceResult result_;             ///< what it will have measured
  double begun_ = 0;
  std::size_t reported_ = 0;  ///< of the result's reports
  std::map<Attempt, double> unacknowledged_;
  std::optional<double> unanswered_;
  bool is_welcome_ = false, is_ending_ = false;
};

}  // namespace dlrun::cluster
