// SPDX-License-Identifier: Apache-2.0
// Search by an evolving population, for several objectives.
#pragma once
#include <vector>

#include "samplers/history.hpp"
#include "samplers/sobol_sequence.hpp"
#include "samplers/untried.hpp"

namespace dlrun::samplers {

struct NsgaOptions {
  std::size_t population = 20;  ///< trials of a generation, and parents of the next
  double crossover = 0.9;       ///< a child has two parents
  double swap = 0.5;            ///< chance to mix the parents in a coordinate
  double spread = 20;           ///< eta_c: the larger, the nearer a child stays to its parents
  double mutation = 1;          ///< coordinates that a child changes, in the mean
  double nudge = 20;            ///< eta_m: the larger, the smaller the changes
};

/// NSGA-II (Deb et al., IEEE TEC 2002): parents are the best of the last parents and the last generation, by fronts
/// under constrained domination, then by crowding; a child comes from two winners of tournaments, by simulated binary
/// crossover and polynomial mutation of unit coordinates (Deb and Agrawal 1995), choices by uniform crossover and a
/// draw. What is not active in one parent comes from the other, in neither from the domain.
///
/// A generation is `population` trials in a row; it is learnt from once all of them are visible. Trials that are
/// started before still come from the old parents and belong to the next generation, so none is thrown away. Failed
/// trials are no parents; paused ones rank behind whole ones. The first generation is quasi-random.
class NsgaSampler final : public Sampler {
 public:
  NsgaSampler(const space::Space& space, std::uint64_t seed, const NsgaOptions& options = {});

  std::string_view name() const override { return "nsga2"; }
  void on_start(trial::TrialId trial, const space::Values& values) override;
  void on_result(const Observation& observation) override;
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }

 private:
  struct Parent {
    std::uint32_t trial;
    std::size_t tier;
    double crowding;
  };
  void learn();
  bool is_visible() const;
  void select(const std::vector<std::uint32_t>& candidates);
  const Parent& winner(RandomStream& random) const;
  space::Values child(RandomStream& random) const;
  double crossed(const Axis& axis, double a, double b, RandomStream& random) const;
  double mutated(const Axis& axis, double x, RandomStream& random) const;

  NsgaOptions options_;
  Untried untried_;
  std::uint64_t seed_;
  History history_;
  SobolSequence first_;
  std::vector<Parent> parents_;
  std::size_t begin_ = 0;  ///< the first trial of the generation that is waited for
  int generation_ = 0;
  std::string reason_;
};

}  // namespace dlrun::samplers
