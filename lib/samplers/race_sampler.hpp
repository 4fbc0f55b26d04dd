// SPDX-License-Identifier: Apache-2.0
// The cells (replicate, variant) of a race: every variant that is still in it, replicate by replicate.
#pragma once
#include <map>

#include "samplers/cells.hpp"
#include "statistics/race.hpp"

namespace dlrun::samplers {

struct RaceOptions {
  std::size_t replicate = 0, variant = 0;  ///< parameters of the space
  statistics::RaceRules rules;
};

/// One replicate of all variants that are still in the race; then it waits until every one of these cells is visible
/// (statistics::race). So which cells there are depends on what they measure and on nothing else, not even on the
/// number of lanes.
class RaceSampler final : public Sampler {
 public:
  /// REQUIRES: both parameters are finite, every other one is a constant.
  RaceSampler(const space::Space& space, RaceOptions options);

  std::string_view name() const override { return "race"; }
  void on_start(trial::TrialId id, const space::Values& values) override;
  void on_result(const Observation& result) override { cells_.on_result(result); }
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }
  /// Cells of the leader that measured something.
  std::vector<trial::TrialId> chosen_trials() const override;

 private:
  std::optional<Cell> next(const statistics::Race& now) const;

  RaceOptions options_;
  Cells cells_;
  std::map<Cell, trial::TrialId> trials_;
  std::string reason_;
};

}  // namespace dlrun::samplers
