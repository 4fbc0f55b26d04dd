// SPDX-License-Identifier: Apache-2.0
// Cost of each layer in the last pass, for a profile. A GraphModule that nobody profiles looks at one pointer a
// layer.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlrun::nn {

struct LayerCost {
  double forward = 0;           ///< seconds
  double backward = 0;          ///< seconds; 0 where nothing at or above the layer is trained
  std::int64_t activation = 0;  ///< bytes of the output; 0 where it shares an input's memory
};

/// The cost of a layer by its number; nullptr where nobody measures.
inline LayerCost* cost_of(std::vector<LayerCost>* costs, std::size_t layer) {
  return costs != nullptr ? &(*costs)[layer] : nullptr;
}

/// Writes the time from here to the end of its scope; nothing where `into` is null.
class Lap {
 public:
  explicit Lap(double* into) : into_(into) {
    if (into_ != nullptr) begin_ = Clock::now();
  }
  ~Lap() {
    if (into_ != nullptr) *into_ = std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  Lap(const Lap&) = delete;
  Lap& operator=(const Lap&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double* into_;
  Clock::time_point begin_;
};

}  // namespace dlrun::nn
