// SPDX-License-Identifier: Apache-2.0
// A result by several objectives, and when one is better than another.
#pragma once
#include <compare>
#include <vector>

namespace dlrun::pareto {

/// Lower is better in every objective.
using Point = std::vector<double>;

struct Score {
  Point values;
  double violation = 0;  ///< violations of the study's bounds, summed; 0: feasible

  bool is_feasible() const { return !(violation > 0); }
  bool operator==(const Score&) const = default;
};

/// Is `a` nowhere worse than `b`, and somewhere better? REQUIRES: equal sizes.
inline bool dominates(const Point& a, const Point& b) {
  bool is_better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    is_better |= a[i] < b[i];
  }
  return is_better;
}

/// Constrained domination (Deb et al., IEEE TEC 2002, section VI): what is feasible dominates what is not, of two that
/// are not the one with the smaller violation dominates, else the objectives decide.
inline bool dominates(const Score& a, const Score& b) {
  if (a.is_feasible() && b.is_feasible()) return dominates(a.values, b.values);
  return a.is_feasible() || (!b.is_feasible() && a.violation < b.violation);
}

}  // namespace dlrun::pareto
