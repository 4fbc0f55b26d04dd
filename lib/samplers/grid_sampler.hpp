// SPDX-License-Identifier: Apache-2.0
// Grid search: every point of a finite space once.
#pragma once
#include "samplers/sampler.hpp"
#include "samplers/tried.hpp"
#include "space/feasible_points.hpp"

namespace dlrun::samplers {

/// Points in the order of their numbers (space::Points), so the last parameter varies fastest and points that differ
/// only in what is not active count once; what a constraint excludes is no point of the grid. What was started
/// otherwise (by a person) is skipped.
class GridSampler final : public Sampler {
 public:
  /// @throws Error(usage) for a continuous parameter, or more than 2^53 points.
  explicit GridSampler(const space::Space& space);

  std::string_view name() const override { return "grid"; }
  void on_start(trial::TrialId trial, const space::Values& values) override;
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }

 private:
  space::FeasiblePoints points_;
  std::int64_t size_ = 0;
  Tried tried_;
  std::string reason_;
};

}  // namespace dlrun::samplers
