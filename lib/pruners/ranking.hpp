// SPDX-License-Identifier: Apache-2.0
// Values of trials in order, with ranks in O(log n).
#pragma once
#include <cmath>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <limits>

#include "trial/trial.hpp"

namespace dlrun::pruners {

/// Lower is better; ties: the lower trial number. One that failed has an infinite value and ranks last.
class Ranking {
 public:
  struct Entry {
    double value;
    trial::TrialId trial;
    auto operator<=>(const Entry&) const = default;
  };
  static constexpr double kFailed = std::numeric_limits<double>::infinity();

  void insert(const Entry& entry) { tree_.insert(entry); }
  void erase(const Entry& entry) { tree_.erase(entry); }
  std::size_t size() const { return tree_.size(); }
  /// 0: the best.
  std::size_t rank_of(const Entry& entry) const { return tree_.order_of_key(entry); }
  const Entry& at(std::size_t rank) const { return *tree_.find_by_order(rank); }
  /// The value below which a part `share` of them lies, interpolated linearly between neighbours. REQUIRES: not empty.
  double quantile(double share) const {
    const double place = share * double(size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(place));
    if (below + 1 >= size()) return at(size() - 1).value;
    const double part = place - double(below);
    return part == 0 ? at(below).value : at(below).value + part * (at(below + 1).value - at(below).value);
  }

 private:
  __gnu_pbds::tree<Entry, __gnu_pbds::null_type, std::less<>, __gnu_pbds::rb_tree_tag,
                   __gnu_pbds::tree_order_statistics_node_update>
      tree_;
};

}  // namespace dlrun::pruners
