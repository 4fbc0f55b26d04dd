// SPDX-License-Identifier: Apache-2.0
// The values of an heir in PB2: where a model of the population promises the greatest gain.
#pragma once
#include <map>

#include "samplers/gp/data.hpp"
#include "samplers/perturbation.hpp"

namespace dlrun::samplers {

struct BanditOptions {
  std::size_t least_gains = 4;   ///< below so many heirs are perturbed as pbt does
  std::size_t most_gains = 400;  ///< the latest so many are modelled
  int spread = 512;              ///< points by the domains' measure that are looked at
  int nearby = 64;               ///< points around the best of them in each round
  int rounds = 6;                ///< rounds, whose steps halve
};

/// Population based bandits (Parker-Holder, Nguyen and Roberts, NeurIPS 2020, arXiv:2002.02518): a Gaussian process
/// over (epoch, cost before, values) learns how much an epoch with such values changes the cost, and the heir gets the
/// values of the highest upper confidence bound for its donor's epoch and cost (there: Algorithm 2).
///
/// Heirs of the same rung have no result yet: they count as measured at the mean, which narrows the bound around them
/// (GP-BUCB, Desautels et al. 2014). The width is sqrt(0.2 log(0.4 n)), n gains, as the authors' code has it.
///
/// Differs from the paper: time is an axis of the Matérn kernel of lib/samplers/gp with a fitted length scale, where
/// the paper multiplies by (1 - eps)^(|t - t'| / 2); choices, integers and conditions are axes of the same model (there
/// numbers only); gains are warped as the sampler `gp` warps objectives; while there are few gains (the first rung)
/// heirs are perturbed, where Ray's are copies.
class Bandit final : public Explorer {
 public:
  Bandit(const space::Space& space, const ExplorerOptions& fallback, std::uint64_t seed,
         const BanditOptions& options = {});

  void on_start(trial::TrialId trial, const space::Values& values, trial::TrialId donor) override;
  void on_result(trial::TrialId trial, std::int64_t epoch, std::optional<double> cost) override;
  space::Values explore(std::int64_t number, const Donor& donor, const std::vector<space::Values>& taken) override;

 private:
  /// A trial, and where it stood when its last result became visible.
  struct Seen {
    Coordinates coordinates;
    std::int64_t epoch = 0;
    std::optional<double> cost;  ///< an heir's first one is its donor's
    bool is_pending = false;     ///< an heir without a result of its own
  };
  /// Change of the cost by some epochs with these values.
  struct Gain {
    Coordinates coordinates;
    std::int64_t epoch = 0;  ///< epoch they began at
    double cost = 0;         ///< cost before these epochs
    double change = 0;       ///< change by one epoch; negative is better
  };
  struct Scales {
    double epoch = 1, low = 0, range = 1;
  };

  Scales scales() const;
  static Coordinates place(const Coordinates& values, std::int64_t epoch, double cost, const Scales& scales);
  gp::Data data() const;
  std::vector<Coordinates> pending(const Scales& scales) const;
  const gp::Hyperparameters& hyperparameters(const gp::Data& data);
  space::Values promising(std::int64_t number, const Seen& donor, const space::Values& start,
                          const std::vector<space::Values>& taken);

  space::Space space_;
  std::vector<Axis> axes_;
  BanditOptions options_;
  std::uint64_t seed_;
  Perturbation perturbation_;
  std::map<trial::TrialId, Seen> seen_;
  std::vector<Gain> gains_;
  std::size_t fitted_at_ = 0;  ///< gains
  gp::Hyperparameters fitted_;
  std::optional<space::FeasibleDraw> feasible_;  ///< made when it is first asked
};

}  // namespace dlrun::samplers
