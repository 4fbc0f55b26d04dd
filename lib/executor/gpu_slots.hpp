// SPDX-License-Identifier: Apache-2.0
// GPUs of this machine, shared out among workers (`resources.device`, `resources.gpu_share`).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dlrun::executor {

/// GPUs that workers of a study may get. Empty: there is none, and the worker says what it makes of `device`.
/// @param device  resources.device: cpu | auto | cuda | cuda:N, where N counts the visible ones
std::vector<std::string> gpus_for(const std::string& device, const std::vector<std::string>& visible);

/// Each worker has a place on one GPU, or on several: those with the fewest workers, the first of equals. A place is
/// free again when its worker has ended.
class GpuSlots {
 public:
  /// @param share  part of a GPU that a worker takes, in (0, 1]; a GPU has floor(1 / share) places
  /// @param each   GPUs of a worker. REQUIRES: it is 1, or share is
  GpuSlots(const std::vector<std::string>& gpus, double share, int each = 1);

  int workers() const;  ///< workers that can still be given a place
  /// Names of the GPUs on which a worker gets a place, with commas between them. REQUIRES: workers() > 0.
  std::string acquire(std::int64_t worker);
  void give_back(std::int64_t worker);

 private:
  struct Gpu {
    std::string name;
    int free;
  };

  std::string take_one(std::int64_t worker);

  std::vector<Gpu> gpus_;
  int each_;
  std::map<std::int64_t, std::vector<std::size_t>> taken_;  ///< worker -> indices
};

}  // namespace dlrun::executor
