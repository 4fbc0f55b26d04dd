// SPDX-License-Identifier: Apache-2.0
#include "util/gpus.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace dlrun {

namespace {

/// Number of cards by NVIDIA's driver, which has a folder for each.
int card_count() {
  std::error_code none;
  int count = 0;
  for ([[maybe_unused]] const auto& card : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", none)) {
    ++count;
  }
  return count;
}

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
    if (gpu.empty() || gpu == "-1") break;  // as CUDA: what follows an entry that is none is not visible either
    gpus.push_back(gpu);
  }
  return gpus;
}

}  // namespace dlrun
