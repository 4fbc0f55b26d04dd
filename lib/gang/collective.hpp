// SPDX-License-Identifier: Apache-2.0
// Sums over all ranks of a gang by another library, in an order of its own.
#pragma once
#include <chrono>
#include <optional>
#include <vector>

namespace dlrun::gang {

class Collective {
 public:
  virtual ~Collective() = default;

  /// Begins a sum; all ranks begin the same sums in the same order. @param numbers  copied
  virtual void begin(const std::vector<float>& numbers) = 0;
  /// Waits for the oldest sum. @return nullopt: it is not there yet
  /// @throws Error(outside) if it never will be, because a rank is gone
  virtual std::optional<std::vector<float>> take(std::chrono::milliseconds patience) = 0;
};

}  // namespace dlrun::gang
