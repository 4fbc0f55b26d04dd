// SPDX-License-Identifier: Apache-2.0
// The load of one device of a pipeline, as classes come and go.
#pragma once
#include "placement/workload.hpp"

namespace dlrun::placement {

/// Readers and producers of each item.
struct Neighbours {
  Lists readers, producers;
  explicit Neighbours(const Workload& work);
};

/// A set of classes. An accelerator computes, takes in each output that is made elsewhere once, and gives out once each
/// output that is read elsewhere; a processor only computes.
class DeviceLoad {
 public:
  /// Both must outlive the load.
  DeviceLoad(const Workload& work, const Neighbours& neighbours, bool is_cpu);

  void clear();
  void add_class(int of_class);
  void remove(int of_class);
  /// Seconds for each batch; infinite where the device has not the memory, or cannot compute one of the items.
  double seconds() const;

 private:
  void add_item(int item);
  void remove_item(int item);
  bool holds(int item) const { return is_in_[std::size_t(item)] != 0; }

  const Workload& work_;
  const Neighbours& neighbours_;
  bool is_cpu_ = false;
  std::vector<char> is_in_;                   ///< items
  std::vector<int> reads_;                    ///< edges into the set, for each item outside
  std::vector<int> read_outside_;             ///< edges out of the set, for each item inside
  std::int64_t compute_ = 0, transfers_ = 0;  ///< picoseconds, so that sums are exact whatever comes and goes
  double bytes_ = 0;
  int impossible_ = 0;
};

}  // namespace dlrun::placement
