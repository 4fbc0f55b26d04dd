// SPDX-License-Identifier: Apache-2.0
// Running statistics of batch norms as plain means.
#pragma once

namespace dlrun::nn {

/// While one lives, training passes of this thread make the running statistics of a batch norm the equal mean over the
/// batches it has counted (torch.nn.BatchNorm with momentum=None) instead of moving them by its momentum.
class CumulativeStatistics {
 public:
  CumulativeStatistics() { ++depth(); }
  ~CumulativeStatistics() { --depth(); }
  CumulativeStatistics(const CumulativeStatistics&) = delete;
  CumulativeStatistics& operator=(const CumulativeStatistics&) = delete;

  static bool is_on() { return depth() > 0; }

 private:
  static int& depth() {
    static thread_local int count = 0;
    return count;
  }
};

}  // namespace dlrun::nn
