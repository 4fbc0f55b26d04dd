// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu_slots.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace dlrun::executor {

namespace {

/// Number of cards; NVIDIA's driver has a folder for each.
int card_count() {
  std::error_code none;
  int count = 0;
  for ([[maybe_unused]] const auto& card : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", none)) {
    ++count;
  }
  return count;
}

int places_of(double share) { return std::max(1, static_cast<int>(std::floor(1 / share + 1e-9))); }

}  // namespace

std::vector<std::string> visible_gpus() { return visible_gpus(std::getenv("CUDA_VISIBLE_DEVICES"), card_count()); }

std::vector<std::string> visible_gpus(const char* variable, int cards) {
  std::vector<std::string> gpus;
  if (variable == nullptr) {
    for (int i = 0; i < cards; ++i) gpus.push_back(std::to_string(i));
    return gpus;
  }
  std::istringstream list(variable);
  for (std::string gpu; std::getline(list, gpu, ',');) {
    gpu.erase(std::remove(gpu.begin(), gpu.end(), ' '), gpu.end());
    if (gpu.empty() || gpu == "-1") break;  // CUDA ignores all entries after an invalid one
    gpus.push_back(gpu);
  }
  return gpus;
}

std::vector<std::string> gpus_for(const std::string& device, const std::vector<std::string>& visible) {
  if (device == "auto" || device == "cuda") return visible;
  if (!device.starts_with("cuda:")) return {};
  std::size_t index = visible.size();
  std::from_chars(device.data() + 5, device.data() + device.size(), index);
  return index < visible.size() ? std::vector{visible[index]} : std::vector<std::string>();
}

GpuSlots::GpuSlots(const std::vector<std::string>& gpus, double share) {
  for (const std::string& gpu : gpus) gpus_.push_back({gpu, places_of(share)});
}

int GpuSlots::workers() const {
  int count = 0;
  for (const Gpu& gpu : gpus_) count += gpu.free;
  return count;
}

std::string GpuSlots::take(std::int64_t worker) {
  const auto emptiest =
      std::max_element(gpus_.begin(), gpus_.end(), [](const Gpu& a, const Gpu& b) { return a.free < b.free; });
  --emptiest->free;
  taken_[worker] = static_cast<std::size_t>(emptiest - gpus_.begin());
  return emptiest->name;
}

void GpuSlots::give_back(std::int64_t worker) {
  const auto found = taken_.find(worker);
  if (found == taken_.end()) return;
  ++gpus_[found->second].free;
  taken_.erase(found);
}

}  // namespace dlrun::executor
