// SPDX-License-Identifier: Apache-2.0
// Learning curves of trials under way, for a display. No decision reads them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trial/trial.hpp"

namespace dlrun::driver {

/// Values of one metric by epoch, at most kMost of them: whenever there are more, every other one is dropped.
class Curve {
 public:
  static constexpr std::size_t kMost = 64;

  /// An epoch that is not newer than the last one changes nothing.
  void add_value(std::int64_t epoch, double value);
  std::int64_t epoch() const { return epoch_; }  ///< the last one; 0: none
  /// Evenly spaced, the last one included.
  std::vector<double> values() const;

 private:
  std::vector<double> kept_;
  std::size_t seen_ = 0, stride_ = 1;
  double last_ = 0;
  std::int64_t epoch_ = 0;
};

/// Curves of the objective, of trials that are not over.
class Curves {
 public:
  explicit Curves(std::string metric) : metric_(std::move(metric)) {}

  void add_report(const trial::Member& member, const trial::Report& report);
  void forget(trial::TrialId trial);
  /// nullptr: no epoch of this run was reported.
  const Curve* find(const trial::Member& member) const;

 private:
  std::string metric_;
  std::map<trial::Member, Curve> curves_;
};

}  // namespace dlrun::driver
