// SPDX-License-Identifier: Apache-2.0
// GPUs of this machine, shared out among workers (`resources.device`, `resources.gpu_share`).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dlrun::executor {

/// GPUs that a process started now may use, by the names that CUDA_VISIBLE_DEVICES takes: the entries of that variable
/// if it is set (none if it is empty or -1), else "0", "1", … for each card of NVIDIA's driver.
std::vector<std::string> visible_gpus();
/// @param variable  CUDA_VISIBLE_DEVICES, null if it is not set
/// @param cards     number of cards
std::vector<std::string> visible_gpus(const char* variable, int cards);

/// GPUs that workers of a study may get. Empty: there is none; the worker then reports how it treats `device`.
/// @param device  resources.device: cpu | auto | cuda | cuda:N, where N counts the visible ones
std::vector<std::string> gpus_for(const std::string& device, const std::vector<std::string>& visible);

/// Gives each worker a place on the first of the GPUs with the fewest workers. The place is free again when the worker
/// has ended.
class GpuSlots {
 public:
  /// @param share  of a GPU that a worker takes, in (0, 1]; a GPU has floor(1 / share) places
  GpuSlots(const std::vector<std::string>& gpus, double share);

  int workers() const;  ///< number that can still be given a place
  /// Takes a place for a worker. REQUIRES: workers() > 0.
  std::string take(std::int64_t worker);
  void give_back(std::int64_t worker);

 private:
  struct Gpu {
    std::string name;
    int free;
  };

  std::vector<Gpu> gpus_;
  std::map<std::int64_t, std::size_t> taken_;  ///< worker -> index
};

}  // namespace dlrun::executor
