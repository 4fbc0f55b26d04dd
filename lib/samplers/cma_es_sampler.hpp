// SPDX-License-Identifier: Apache-2.0
// Search by covariance matrix adaptation.
#pragma once
#include <memory>

#include "samplers/cma_distribution.hpp"
#include "samplers/history.hpp"
#include "samplers/sobol_sequence.hpp"
#include "samplers/tpe_sampler.hpp"
#include "samplers/untried.hpp"

namespace dlrun::samplers {

/// The defaults were chosen on instances 1 to 5 of BBOB's functions (tests/bench/search_bbob.py).
struct CmaEsOptions {
  int first = 12;           ///< quasi-random trials before the first generation
  int averaged = 3;         ///< the best of them, whose middle is the first mean; at most `first`
  double sigma = 0.12;      ///< deviation of the first distribution, in the unit cube
  double share = 0.1;       ///< part of an earlier study's trials, at least `averaged`, whose middle is the first mean
  double around = 0.1;      ///< deviation of the first distribution around each of them
  double tolerance = 1e-9;  ///< a restart when steps are smaller
  int fresh = 2;            ///< trials from one update of the distribution to the next, at most lambda
};

/// CMA-ES over the numeric parameters that are always active; the others (choices, and what depends on them) are
/// proposed by TPE, and the normal distribution is shared by all of their values.
///
/// A generation is lambda trials in a row. It is learnt from once all of them are visible, and the next one begins
/// `fresh` trials later: generations overlap, so that a result counts at once where a search has few, and each update
/// learns by lower rates. Trials that are started before an update still come from the old distribution and belong to
/// later generations, so none is thrown away. Failed trials rank worst. Where a generation has converged, the search
/// starts anew from a random mean with twice the lambda (IPOP, Auger and Hansen, CEC 2005).
///
/// Own draws take successive points of one scrambled Sobol sequence, turned into normal ones (Teytaud and Gelly, DCMA,
/// PPSN 2007). Trials of other origin take none, so samplers that take turns leave no part of the directions out. A
/// draw that was tried or is excluded is replaced by a random one.
///
/// Bounds: points outside are moved to the bound, for the best values of a parameter are often its last ones. A trial's
/// own draw follows from the trials before it, so that the place within an integer's share is known after a replay too.
///
/// Warm start: the best trials of earlier studies take the place of the quasi-random ones. The first distribution has
/// their mean, and the mean of their variances beside that around each of them (Nomura et al., AAAI 2021, whose alpha
/// and gamma these are; there with the whole covariance).
class CmaEsSampler final : public Sampler {
 public:
  CmaEsSampler(const space::Space& space, std::uint64_t seed, const CmaEsOptions& options = {});

  std::string_view name() const override { return "cma_es"; }
  void learn(const std::vector<Observation>& trials) override;
  void on_start(trial::TrialId trial, const space::Values& values) override;
  void on_result(const Observation& observation) override;
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }

 private:
  /// Proposal of the distribution for the next trial.
  struct Draw {
    Eigen::VectorXd x;
    std::vector<space::Value> values;  ///< values of the axes
  };
  struct Member {
    Eigen::VectorXd x;
    int version = 0;  ///< version of the distribution that it was drawn from
  };

  /// @param point of the unit cube, uniform: a point itself, or, once there is a distribution, a draw of it
  Draw draw(const Eigen::VectorXd& point) const;
  Draw draw_of(const space::Values& values) const;
  /// The next trial's draw; the same however often it is asked for.
  const Draw& upcoming();
  space::Values completed(const Draw& draw, const space::Values& others) const;
  Eigen::VectorXd place_of(const space::Values& values) const;
  void begin_from_earlier();
  void learn_generations();
  std::vector<std::size_t> ranked(std::size_t count) const;
  void begin_run(const Eigen::VectorXd& mean, double sigma, int lambda);
  void restart();
  /// The first `count` trials belong to no later generation.
  void drop(std::size_t count);
  void keep_margins();

  CmaEsOptions options_;
  Untried untried_;
  std::uint64_t seed_;
  History history_;
  std::vector<Axis> axes_;             ///< axes of the distribution
  std::vector<std::size_t> inner_;     ///< parameters that TPE proposes
  std::unique_ptr<TpeSampler> other_;  ///< nullptr: there are none
  SobolSequence points_;               ///< points that own draws are made of
  std::uint64_t own_ = 0;              ///< trials that were own draws
  std::optional<CmaDistribution> distribution_;
  int version_ = 0;  ///< raised when the distribution changes
  int runs_ = 0;
  std::vector<std::pair<double, Eigen::VectorXd>> earlier_;  ///< trials of earlier studies: rank as a share, place
  std::vector<Member> members_;  ///< trials of the next generation and later ones, the oldest first
  std::size_t begin_ = 0;        ///< the number of the first of them
  std::optional<Draw> upcoming_;
  std::string reason_;
};

}  // namespace dlrun::samplers
