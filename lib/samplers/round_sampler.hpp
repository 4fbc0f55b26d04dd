// SPDX-License-Identifier: Apache-2.0
// The cells (replicate, variant) of an ablation in rounds: which variants a round has depends on what the one before
// measured.
#pragma once
#include <set>

#include "samplers/sampler.hpp"
#include "statistics/stepwise.hpp"

namespace dlrun::samplers {

struct RoundOptions {
  std::size_t replicate = 0, variant = 0;  ///< parameters of the space
  statistics::StepwiseRules rules;         ///< variants by their numbers in the space
};

/// Replicate by replicate, all variants of the round; then it waits until every cell of the round is visible
/// (statistics::stepwise). So which cells there are depends on what they measure and on nothing else, not even on the
/// number of lanes.
class RoundSampler final : public Sampler {
 public:
  /// REQUIRES: both parameters are finite, every other one is a constant.
  RoundSampler(const space::Space& space, RoundOptions options);

  std::string_view name() const override { return "rounds"; }
  void on_start(trial::TrialId trial, const space::Values& values) override;
  /// A later result of a cell, of a failed one that was tried again, takes the place of the earlier.
  void on_result(const Observation& seen) override;
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }

 private:
  struct Cell {
    std::size_t replicate = 0, variant = 0;
    auto operator<=>(const Cell&) const = default;
  };

  Cell cell_of(const space::Values& values) const;
  space::Values values_of(const Cell& cell) const;
  std::optional<Cell> next(const statistics::Stepwise& now) const;

  space::Space space_;
  RoundOptions options_;
  std::vector<statistics::SeenCells> seen_;  ///< [variant][replicate], costs
  std::set<Cell> started_;
  std::string reason_;
};

}  // namespace dlrun::samplers
