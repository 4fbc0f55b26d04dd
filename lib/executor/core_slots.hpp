// SPDX-License-Identifier: Apache-2.0
// Cores of this machine, shared out among workers that are tied to their own (`resources.pin`).
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace dlrun::executor {

/// Each worker has `each` cores that no other one has, the lowest free ones; they are free again when it has ended.
class CoreSlots {
 public:
  /// Shares out the cores that this process may run on.
  explicit CoreSlots(int each);
  CoreSlots(int each, const std::set<int>& cores) : each_(each), free_(cores) {}

  int workers() const { return static_cast<int>(free_.size()) / each_; }  ///< workers that can still be given cores
  /// Cores for a worker, ascending. REQUIRES: workers() > 0.
  std::vector<int> acquire(std::int64_t worker);
  void give_back(std::int64_t worker);

 private:
  int each_;
  std::set<int> free_;
  std::map<std::int64_t, std::vector<int>> taken_;
};

}  // namespace dlrun::executor
