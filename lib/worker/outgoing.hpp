// SPDX-License-Identifier: Apache-2.0
// Messages of a worker that wait for their turn, and those that are kept until they are acknowledged.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "worker/orders.hpp"

namespace dlrun::worker {

/// Makes frames. The caller writes them before another thread makes the next ones.
class Outgoing {
 public:
  /// @param may_repeat  frames are kept, for another connection
  explicit Outgoing(bool may_repeat) : may_repeat_(may_repeat) {}

  /// Telemetry of the piece at hand.
  void add(const trial::Report& report) { reports_.push_back(report); }
  /// Telemetry of a step. @return whether there are as many as a message takes
  bool add_step(const trial::Report& report);
  /// Frames of the steps' reports, which are then gone; none without a piece.
  std::string take_steps(const std::optional<Attempt>& piece);
  /// Frames of all telemetry, which is then gone.
  std::string take_telemetry(const std::optional<Attempt>& piece);
  /// Reports of epochs are in the result, too: those that wait are not sent any more.
  void drop_reports() { reports_.clear(); }
  void drop_telemetry();

  /// The frame with the runner's libraries and processor, which every driver needs.
  void keep_prepared(const std::string& frame);
  /// The frame of a result.
  void keep_result(const Attempt& attempt, const std::string& frame);
  /// The driver has committed the result, or does not want it.
  void forget(const Attempt& attempt) { results_.erase(attempt); }
  bool has_result(const Attempt& attempt) const { return results_.contains(attempt); }
  /// Attempts whose results are not acknowledged.
  std::vector<Attempt> unacknowledged() const;
  /// All frames that are kept, for a new connection.
  std::string kept() const;

 private:
  bool may_repeat_;
  std::vector<trial::Report> reports_, steps_;
  std::string prepared_;
  std::map<Attempt, std::string> results_;  ///< empty frames if they are not repeated
};

/// A result's frame; of one that is too long, that of a failure that says so.
std::string frame_of(const trial::PieceResult& result);

}  // namespace dlrun::worker
