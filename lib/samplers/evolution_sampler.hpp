// SPDX-License-Identifier: Apache-2.0
// Search by a population in which the old die, for architectures and other spaces of choices.
#pragma once
#include <deque>
#include <map>
#include <vector>

#include "samplers/history.hpp"
#include "samplers/sobol_sequence.hpp"
#include "samplers/untried.hpp"

namespace dlrun::samplers {

struct EvolutionOptions {
  std::size_t population = 20;  ///< trials that are alive
  std::size_t sample = 5;       ///< trials drawn, the best of which becomes a parent
  double nudge = 5;             ///< the larger, the smaller the changes of numbers
};

/// Regularized evolution (Real et al., AAAI 2019, arXiv:1802.01548, algorithm 1): the population is the `population`
/// trials whose values became visible last. A parent is the best of `sample` of them, drawn with replacement; its child
/// differs in one parameter, any of the active ones: a choice becomes another one, a number moves by polynomial
/// mutation. What is not active in the parent is drawn from its domain. The first trials are quasi-random. Failed
/// trials never join.
class EvolutionSampler final : public Sampler {
 public:
  EvolutionSampler(const space::Space& space, std::uint64_t seed, const EvolutionOptions& options = {});

  std::string_view name() const override { return "evolution"; }
  void on_start(trial::TrialId trial, const space::Values& values) override;
  void on_result(const Observation& observation) override;
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }

 private:
  struct Started {
    trial::TrialId trial;
    space::Values values;
  };
  std::uint32_t parent(RandomStream& random) const;
  space::Values child(RandomStream& random);
  std::size_t axis_to_change(const Coordinates& from, RandomStream& random) const;
  space::Value changed(const Axis& axis, double x, RandomStream& random) const;

  EvolutionOptions options_;
  Untried untried_;
  std::uint64_t seed_;
  History history_;
  SobolSequence first_;
  std::vector<Started> trials_;                      ///< by number in the history
  std::map<trial::TrialId, std::uint32_t> unknown_;  ///< started, without a value that is visible
  std::deque<std::uint32_t> alive_;                  ///< the oldest first
  std::string reason_;
};

}  // namespace dlrun::samplers
