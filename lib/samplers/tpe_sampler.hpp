// SPDX-License-Identifier: Apache-2.0
// Search by the tree-structured Parzen estimator.
#pragma once
#include "samplers/history.hpp"
#include "samplers/parzen.hpp"
#include "samplers/rival.hpp"
#include "samplers/sobol_sequence.hpp"
#include "samplers/untried.hpp"

namespace dlrun::samplers {

/// How TPE learns. The defaults were chosen on the functions of tests/bench (seeds other than the reported ones).
struct TpeOptions {
  std::string_view name = "tpe";
  bool is_joint = true;          ///< one model of all parameters; else one for each
  std::size_t startup = 10;      ///< quasi-random trials before the model is asked
  int candidates = 24;           ///< drawn for one proposal (for each parameter, where not joint)
  double share = 0.06;           ///< part of the trials with a result that count as good, the best ones
  double wide_share = 0.1;       ///< the same of an earlier study's trials, and where there are several objectives
  std::size_t most_good = 25;    ///< good trials at most
  std::size_t most_rest = 2048;  ///< other trials that the model keeps at most, at least half as many
  bool may_repeat = false;       ///< proposes tried points too: for a sampler that is part of a larger one
  ParzenOptions good = {.narrowing = 2};
  ParzenOptions rest;
  double lesson = 2;           ///< results after which trials of an earlier study weigh half
  double least_weight = 0.05;  ///< several objectives: of a good trial that adds nothing, the best having 1
};

/// The tree-structured Parzen estimator (Bergstra et al., NeurIPS 2011): l is a Parzen density of the good trials, g of
/// all others; of some draws from l the one with the largest l / g is proposed. Joint (Falkner et al., ICML 2018): the
/// kernels are products over all parameters, and trials of every branch of a conditional space share one model.
///
/// The branch of a conditional space is drawn by the share that it has among the good trials (and the prior), and the
/// draws for one proposal share it: densities of different branches have different dimensions and do not compare, and a
/// branch that was unlucky at first is tried again.
///
/// Differs from Optuna 5, whose rules these were: the kernels of the good trials may become much narrower, by the
/// square of the others' limit, which is what lets the search converge; trials weigh the same however old; the first
/// trials are points of a Sobol sequence; and of more than most_rest other trials a sample is kept, so that the cost of
/// a proposal is bounded. Measured by tests/bench/run search.
///
/// For several objectives (MOTPE; Ozaki et al., JAIR 2022) the good trials are those of the first fronts, of the front
/// that does not fit the ones that dominate most together; they weigh as much as the hypervolume that each of them
/// adds. Infeasible trials rank behind all others, by their violation.
///
/// Draws that were tried are passed over. If all of them were, as many again are drawn, up to 64 times; where each
/// parameter has a model of its own, these are whole points of l instead of the best of each axis. Taking the best of
/// all draws and a random point where that was tried proposed at random in nearly every trial of a small finite space.
///
/// Trials under way count among the others (a constant liar), so lanes do not propose the same; so do failed ones.
/// Under a pruner the good trials are the best of those with a value at the largest budget that at least `startup`
/// trials reached (the model of BOHB, Falkner et al., ICML 2018, section 3.2; all other trials make g here); before,
/// paused trials rank behind whole ones, the longer trained first.
///
/// Trials of an earlier study take the place of every other one of the first, quasi-random trials: its best share,
/// ranked among themselves, are kernels of l, the others of g, and all of them fade as results come in. The other
/// quasi-random trials stay, for a study that misleads would else leave the search where it is wrong.
class TpeSampler final : public Sampler {
 public:
  TpeSampler(const space::Space& space, std::uint64_t seed, const TpeOptions& options);

  std::string_view name() const override { return options_.name; }
  void learn(const std::vector<Observation>& trials) override;
  void on_start(trial::TrialId trial, const space::Values& values) override;
  void on_result(const Observation& observation) override { history_.on_result(observation); }
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }

 private:
  struct Model {
    const Parzen& good;
    const Parzen& rest;
  };
  /// log l / g at a point.
  double log_ratio(const Model& model, const space::Values& values) const;
  /// Trials whose values can be compared, the best first.
  std::vector<std::uint32_t> comparable() const;
  std::vector<std::uint32_t> good_trials(const std::vector<std::uint32_t>& peers) const;
  std::vector<std::uint32_t> good_fronts(std::size_t count) const;
  std::vector<double> weights_of(const std::vector<std::uint32_t>& good) const;
  /// The weights of `own` trials behind those of earlier ones; empty: all weigh the same.
  std::vector<double> with_earlier(std::size_t earlier, std::size_t own, std::vector<double> weights) const;
  std::vector<std::uint32_t> other_trials(const std::vector<std::uint32_t>& good) const;
  space::Values first_points(RandomStream& random);
  space::Values by_model(RandomStream& random);
  space::Values pick(const Model& model, RandomStream& random, std::string& remark);
  /// The best untried one of some draws, the best of the others being left in `rival_`; a tried one if all were tried.
  space::Values draw_untried(const Model& model, RandomStream& random);
  /// A point of l. @param branch a point of the branch that it shall lie in, or null
  space::Values draw_whole(const Model& model, const space::Values* branch, RandomStream& random) const;
  /// The best of some draws on each axis by itself; it may have been tried.
  space::Values draw_singly(const Model& model, RandomStream& random) const;
  /// The best of some draws on one axis, `values` up to there being chosen.
  space::Value draw_axis(const Model& model, std::size_t axis, RandomStream& random) const;

  TpeOptions options_;
  Untried untried_;
  std::uint64_t seed_;
  History history_;
  std::vector<std::uint32_t> earlier_good_;  ///< trials of earlier studies, ascending
  std::size_t earlier_ = 0;                  ///< trials of them: the first of the history
  SobolSequence first_;
  KernelCache cache_;
  std::optional<Rival> rival_;  ///< rival of the last proposal, by log l / g
  int draws_ = 0;               ///< draws that the last proposal is the best of
  std::string reason_;
};

}  // namespace dlrun::samplers
