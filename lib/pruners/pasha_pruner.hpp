// SPDX-License-Identifier: Apache-2.0
// Progressive ASHA (Bohdal et al., ICLR 2023, arXiv:2207.06940; epsilon, eta, r, R as there).
#pragma once
#include <map>
#include <vector>

#include "pruners/asha_pruner.hpp"
#include "pruners/ranking.hpp"

namespace dlrun::pruners {

/// Promotion ASHA that opens only the two lowest rungs at first, and one more whenever the trials at the highest open
/// rung rank otherwise there than they did one rung below. So nothing trains longer than it takes to rank the best.
///
/// Rankings agree if the trial at place i of the upper rung is, at the lower one, within epsilon of the value at place
/// i there. Epsilon is the noise of the curves: the 90th percentile of the distances, at the highest open rung, of
/// those pairs whose curves cross and cross back; no such pair: 0.
///
/// When the search is over, trials at the highest open rung are complete. Differs from the paper: a pair's distance is
/// taken when the later of the two arrives. A value at the highest open rung, where m trials are, costs O(m (log m +
/// epochs)).
class PashaPruner final : public Pruner {
 public:
  /// @throws Error(usage) as geometric_rungs.
  explicit PashaPruner(const Pasha& pasha);

  std::vector<std::int64_t> rungs() const override { return asha_.rungs(); }
  std::vector<double> shares() const override { return asha_.shares(); }
  void on_curve(trial::TrialId trial, const std::vector<Point>& curve) override;
  void on_value(trial::TrialId trial, int rung, std::optional<double> value) override;
  void on_gone(trial::TrialId trial) override { asha_.on_gone(trial); }
  std::optional<Promotion> next() const override { return asha_.next_below(top_); }
  void claim(trial::TrialId trial, int rung) override;
  bool is_whole(trial::TrialId trial) const override;

 private:
  struct Curve {
    std::vector<Point> points;
    std::map<int, double> at;  ///< usable values by rung
  };

  bool rankings_agree() const;
  double epsilon() const;
  void note_crossings(trial::TrialId trial);
  void open_next_rung();

  AshaPruner asha_;
  int top_ = 0;  ///< the highest open rung
  int last_;
  std::map<trial::TrialId, Curve> curves_;
  std::vector<trial::TrialId> arrived_;  ///< at the highest open rung, in order
  Ranking distances_;                    ///< distances of crossing pairs; the trial numbers them
  std::int64_t pairs_ = 0;
};

}  // namespace dlrun::pruners
