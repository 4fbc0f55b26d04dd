// SPDX-License-Identifier: Apache-2.0
// Cores of this machine, shared out among pinned workers (`resources.pin`).
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace dlrun::executor {

/// Gives each worker `each` cores of its own, the lowest free ones. They are free again when the worker has ended.
class CoreSlots {
 public:
  /// Shares out all cores that this process may run on.
  explicit CoreSlots(int each);
  CoreSlots(int each, const std::set<int>& cores) : each_(each), free_(cores) {}

  int workers() const { return static_cast<int>(free_.size()) / each_; }  ///< number that can still be given cores
  /// Takes cores for a worker, ascending. REQUIRES: workers() > 0.
  std::vector<int> take(std::int64_t worker);
  void give_back(std::int64_t worker);

 private:
  int each_;
  std::set<int> free_;
  std::map<std::int64_t, std::vector<int>> taken_;
};

}  // namespace dlrun::executor
