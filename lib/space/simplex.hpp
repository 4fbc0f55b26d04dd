// SPDX-License-Identifier: Apache-2.0
// Linear programs whose start is optimal and only infeasible: the dual simplex method. For this room alone.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace dlrun::space {

/// Work that a search may still do, in entries of tableaus that it writes: counted, not timed, so that it comes to the
/// same end everywhere. About 5e8 of them take a second.
class Work {
 public:
  explicit Work(std::int64_t most) : left_(most) {}
  bool is_spent() const { return left_ <= 0; }
  void spend(std::int64_t entries) { left_ -= entries; }
  /// Limits the work that is left to this.
  void limit(std::int64_t most) { left_ = left_ < most ? left_ : most; }

 private:
  std::int64_t left_;
};

constexpr double kZero = 1e-11;  ///< amount by which a row may be off

/// minimise cost * y where y >= 0 and left * y <= right, cost > 0, in a condensed tableau with Bland's rule.
/// nullopt: there is no such y, or `work` was spent.
std::optional<std::vector<double>> minimise(std::vector<std::vector<double>> left, std::vector<double> right,
                                            std::vector<double> cost, Work& work);

}  // namespace dlrun::space
