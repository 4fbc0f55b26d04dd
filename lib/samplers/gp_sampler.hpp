// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>

#include "samplers/gp/search.hpp"
#include "samplers/gp/warp.hpp"
#include "samplers/history.hpp"
#include "samplers/sobol_sequence.hpp"
#include "samplers/untried.hpp"

namespace dlrun::samplers {

struct GpOptions {
  std::size_t startup = 10;        ///< quasi-random trials at the beginning, those under way among them
  std::size_t fewest = 4;          ///< results without which nothing is fitted
  std::size_t most_trials = 400;   ///< a process is fitted to: the best half and the latest half of so many
  std::size_t most_earlier = 100;  ///< trials of an earlier study: the best half and the latest half of so many
  int fantasies = 16;              ///< fantasies of the trials under way
  std::size_t around = 4;          ///< best trials that are looked around
  double refit = 1.1;              ///< hyperparameters are fitted anew when there are so many times the results, …
  std::size_t always = 40;         ///< … and up to so many results each time
  gp::SearchOptions search;
};

/// Bayesian optimisation with a Gaussian process: Matérn-5/2 with a length scale for each parameter, fitted to warped
/// values, and the point of the highest logarithm of the expected improvement, averaged over fantasies of what is under
/// way. Where Optuna's GPSampler leaves conditional parameters to chance, an axis that is not active is a place of its
/// own here, so all trials teach one model. Failed trials count as the worst value there is. Trials that were paused at
/// different epochs cannot be compared by value, so then all count by their rank: of what they would come to, where
/// History::projected() can say.
///
/// Every bound of the study has a process of its own, and the likelihood of being feasible is a factor of the expected
/// improvement, which is measured from the best feasible trial (Gardner et al., ICML 2014).
///
/// Trials of earlier studies belong to the same process. The study is one more axis there, so how much they tell is
/// fitted as a length scale is, and the less they agree the less they count (Swersky, Snoek and Adams, NeurIPS 2013,
/// with one correlation between all studies). Values are taken as of one kind; of trials that were paused, ranks count.
///
/// A proposal is a function of the results told: hyperparameters are fitted to the results there were at fixed counts
/// of results, never to what an earlier proposal left behind. Cost: n³ in the trials of the process for a fit, n² for a
/// point; see tests/bench/run search.
class GpSampler final : public Sampler {
 public:
  GpSampler(const space::Space& space, std::uint64_t seed, const GpOptions& options = {});

  std::string_view name() const override { return "gp"; }
  void learn(const std::vector<Observation>& trials) override;
  void on_start(trial::TrialId trial, const space::Values& values) override;
  void on_result(const Observation& observation) override;
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }
  /// Expected improvement; none with too few results, without a feasible one, and where values count by rank only.
  std::optional<double> expected_improvement() const override { return improvement_; }

 private:
  /// A trial of an earlier study, in the history.
  struct Earlier {
    std::uint32_t trial;
    double study;  ///< number of it
    double value;  ///< failed: the worst of its study
    double score;  ///< normal score of its rank there
  };
  space::Values random_point(RandomStream& random);
  std::string promise(const std::vector<gp::Found>& found) const;
  std::optional<double> improvement_of(const space::Values& values, const gp::Process& process,
                                       const gp::Bounds& bounds) const;
  /// Values as measured, lower is better; failed trials as the worst. Those of earlier studies come first.
  Eigen::VectorXd plain_values(const std::vector<std::uint32_t>& trials) const;
  gp::Data data();
  /// @param earlier their rows come first
  gp::Data data_of(const std::vector<std::uint32_t>& trials, Eigen::VectorXd values,
                   const std::vector<Earlier>& earlier = {}) const;
  std::vector<Axis> axes() const;
  bool is_by_rank() const { return has_paused_earlier_ || history_.is_mixed(); }
  gp::Bounds bounds(const std::vector<Coordinates>& under_way);
  gp::Limit limit(std::size_t bound, const std::vector<std::uint32_t>& trials,
                  const std::vector<Coordinates>& under_way);
  std::vector<std::uint32_t> chosen() const;
  Eigen::VectorXd values_of(const std::vector<std::uint32_t>& trials);
  const gp::Hyperparameters& hyperparameters();
  std::vector<Coordinates> pending() const;
  std::vector<space::Values> best_trials() const;

  GpOptions options_;
  Untried untried_;
  std::uint64_t seed_;
  History history_;
  SobolSequence startup_;
  std::vector<space::Values> values_;  ///< by the trial's number in the history
  std::vector<Earlier> earlier_;
  std::vector<space::Values> best_earlier_;  ///< a few of each study
  double studies_ = 0;                       ///< number of studies that earlier_ is from
  bool has_paused_earlier_ = false;
  std::size_t results_ = 0;
  std::size_t fitted_at_ = 0;  ///< results there were when fitted_to_ was made
  gp::Data fitted_to_;
  std::optional<gp::Hyperparameters> fitted_;
  std::vector<gp::Data> bounds_to_;  ///< data that the bounds' processes are fitted to
  std::vector<std::optional<gp::Hyperparameters>> bounds_fitted_;
  std::optional<double> improvement_;
  gp::Warp warp_;  ///< warp of the values that data() was asked for last
  std::string reason_;
};

}  // namespace dlrun::samplers
