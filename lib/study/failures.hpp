// SPDX-License-Identifier: Apache-2.0
// Failures of members, counted by cause, and the rule whether an attempt is repeated.
#pragma once
#include <algorithm>
#include <array>
#include <map>

#include "study/types.hpp"

namespace dlrun::study {

/// Counts failures; the rule is described at `Retries`. Only members that failed use memory.
class Failures {
 public:
  explicit Failures(Retries retries) : retries_(std::move(retries)) {}

  /// Counts one more failure. @return is the attempt repeated?
  bool allows_another(const trial::Member& member, trial::Cause cause) {
    if (trial::is_free(cause)) return true;
    const auto allowed = retries_.find(cause);
    const int most = cause == trial::Cause::worker_lost ? kUnlimited : kSameFault;
    const int failures = ++counts_[member][static_cast<std::size_t>(cause)];
    return allowed != retries_.end() && failures <= std::min(allowed->second, most);
  }
  /// Changes the allowed repetitions from now on.
  void allow(Retries retries) { retries_ = std::move(retries); }
  void forget(trial::TrialId trial) {
    std::erase_if(counts_, [&](const auto& item) { return item.first.trial == trial; });
  }

 private:
  static constexpr int kSameFault = 1;
  static constexpr int kUnlimited = 1 << 30;
  Retries retries_;
  std::map<trial::Member, std::array<int, trial::kCauses>> counts_;
};

}  // namespace dlrun::study
