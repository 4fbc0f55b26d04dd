// SPDX-License-Identifier: Apache-2.0
// The cells (replicate, variant) of an ablation in rounds: which variants a round has depends on what the one before
// measured.
#pragma once
#include "samplers/cells.hpp"
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
  void on_start(trial::TrialId, const space::Values& values) override { cells_.on_start(values); }
  void on_result(const Observation& result) override { cells_.on_result(result); }
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }

 private:
  std::optional<Cell> next(const statistics::Stepwise& now) const;

  RoundOptions options_;
  Cells cells_;
  std::string reason_;
};

}  // namespace dlrun::samplers
