// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>

#include "samplers/gp/search.hpp"
#include "samplers/history.hpp"
#include "samplers/sobol_sequence.hpp"
#include "samplers/untried.hpp"

namespace dlrun::samplers {

struct GpOptions {
  std::size_t startup = 10;       ///< quasi-random trials at the beginning
  std::size_t most_trials = 400;  ///< a process is fitted to: the best half and the latest half of so many
  int fantasies = 16;             ///< of the trials under way
  std::size_t around = 4;         ///< best trials that are looked around
  double refit = 1.1;             ///< hyperparameters are fitted anew when there are so many times the results, …
  std::size_t always = 40;        ///< … and up to so many results each time
  gp::SearchOptions search;
};

/// Bayesian optimisation with a Gaussian process: Matérn-5/2 with a length scale for each parameter, fitted to warped
/// values, and the point of the highest logarithm of the expected improvement, averaged over fantasies of what is under
/// way. Where Optuna's GPSampler leaves conditional parameters to chance, an axis that is not active is a place of its
/// own here, so all trials teach one model. Failed trials count as the worst value there is. Trials that were paused at
/// different epochs cannot be compared by value, so then all count by their rank.
///
/// Every bound of the study has a process of its own, and the likelihood of being feasible is a factor of the expected
/// improvement, which is measured from the best feasible trial (Gardner et al., ICML 2014).
///
/// What it says is a function of what it was told: hyperparameters are fitted to the results there were at fixed counts
/// of results, never to what an earlier proposal left behind. Cost: n³ in the trials of the process for a fit, n² for a
/// point; see tests/bench/run search.
class GpSampler final : public Sampler {
 public:
  GpSampler(const space::Space& space, std::uint64_t seed, const GpOptions& options = {});

  std::string_view name() const override { return "gp"; }
  void on_start(trial::TrialId trial, const space::Values& values) override;
  void on_result(const Observation& observation) override;
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }

 private:
  gp::Data data() const;
  gp::Data data_of(const std::vector<std::uint32_t>& trials, Eigen::VectorXd values) const;
  gp::Bounds bounds(const std::vector<Coordinates>& under_way);
  gp::Limit limit(std::size_t bound, const std::vector<std::uint32_t>& trials,
                  const std::vector<Coordinates>& under_way);
  std::vector<std::uint32_t> chosen() const;
  Eigen::VectorXd values_of(const std::vector<std::uint32_t>& trials) const;
  const gp::Hyperparameters& hyperparameters();
  std::vector<Coordinates> pending() const;
  std::vector<space::Values> best_trials() const;

  GpOptions options_;
  Untried untried_;
  std::uint64_t seed_;
  History history_;
  SobolSequence startup_;
  std::vector<space::Values> values_;  ///< by the trial's number in the history
  std::size_t results_ = 0;
  std::size_t fitted_at_ = 0;  ///< results there were when what is fitted to was taken down
  gp::Data fitted_to_;
  std::optional<gp::Hyperparameters> fitted_;
  std::vector<gp::Data> bounds_to_;  ///< what the bounds' processes are fitted to
  std::vector<std::optional<gp::Hyperparameters>> bounds_fitted_;
  std::string reason_;
};

}  // namespace dlrun::samplers
