// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu_slots.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dlrun::executor {

namespace {

int places_of(double share) { return std::max(1, static_cast<int>(std::floor(1 / share + 1e-9))); }

}  // namespace

std::vector<std::string> gpus_for(const std::string& device, const std::vector<std::string>& visible) {
  if (device == "auto" || device == "cuda") return visible;
  if (!device.starts_with("cuda:")) return {};
  std::size_t index = visible.size();
  std::from_chars(device.data() + 5, device.data() + device.size(), index);
  return index < visible.size() ? std::vector{visible[index]} : std::vector<std::string>();
}

GpuSlots::GpuSlots(const std::vector<std::string>& gpus, double share, int each) : each_(each) {
  for (const std::string& gpu : gpus) gpus_.push_back({gpu, places_of(share)});
}

int GpuSlots::workers() const {
  int count = 0;
  for (const Gpu& gpu : gpus_) count += gpu.free;
  return count / each_;
}

std::string GpuSlots::acquire(std::int64_t worker) {
  std::string names = take_one(worker);
  for (int more = 1; more < each_; ++more) names += "," + take_one(worker);
  return names;
}

std::string GpuSlots::take_one(std::int64_t worker) {
  const auto emptiest =
      std::max_element(gpus_.begin(), gpus_.end(), [](const Gpu& a, const Gpu& b) { return a.free < b.free; });
  --emptiest->free;
  taken_[worker].push_back(static_cast<std::size_t>(emptiest - gpus_.begin()));
  return emptiest->name;
}

void GpuSlots::give_back(std::int64_t worker) {
  for (const std::size_t gpu : taken_[worker]) ++gpus_[gpu].free;
  taken_.erase(worker);
}

}  // namespace dlrun::executor
