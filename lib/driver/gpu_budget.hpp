// SPDX-License-Identifier: Apache-2.0
// limits.gpu_hours: what workers have taken of GPUs, and whether it is all that they may take.
#pragma once
#include <cstddef>
#include <optional>

namespace dlrun::driver {

class GpuBudget {
 public:
  /// @param hours    of GPUs, of all runs together; nullopt: no limit
  /// @param share    of a GPU that a busy worker takes; 0: there is none
  /// @param seconds  that workers of earlier runs were busy
  GpuBudget(std::optional<double> hours, double share, double seconds)
      : hours_(hours), share_(share), gpu_seconds_(share * seconds) {}

  /// Adds the time for which this many workers were busy.
  void spend(double seconds, std::size_t busy_workers) {
    gpu_seconds_ += share_ * seconds * static_cast<double>(busy_workers);
  }
  /// REQUIRES: is_spent()
  double hours() const { return *hours_; }
  bool is_spent() const { return hours_ && gpu_seconds_ > 3600 * *hours_; }

 private:
  std::optional<double> hours_;
  double share_;
  double gpu_seconds_;
};

}  // namespace dlrun::driver
