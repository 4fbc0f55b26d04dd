// SPDX-License-Identifier: Apache-2.0
// The cells (replicate, variant) of an ablation, replicate by replicate, where a variant whose answer is settled gets
// no more of them.
#pragma once
#include <functional>
#include <utility>

#include "samplers/cells.hpp"
#include "statistics/sequential.hpp"

namespace dlrun::samplers {

struct CellOptions {
  std::size_t replicate = 0, variant = 0;  ///< parameters of the space; the first variant is the baseline
  statistics::SequentialRules rules;       ///< rules whose last look is at all replicates
  bool after_baseline = false;             ///< a cell waits until the baseline's of its replicate is visible
};

/// A variant gets the replicates up to its next look, and waits there until those, and the baseline's, are visible:
/// then it is settled for good (statistics::looked_at) or goes on to the look after. The baseline goes as far as any
/// variant may. So which cells there are depends on what they measure and on nothing else, not even on the number of
/// lanes. Variants wait each for itself; while one waits, others go on. No cell is cut short. Where variants begin with
/// what the baseline has learned, a replicate whose baseline failed has failed for all.
class CellSampler final : public Sampler {
 public:
  /// REQUIRES: both parameters are finite, every other one is a constant.
  CellSampler(const space::Space& space, CellOptions options);

  std::string_view name() const override { return "cells"; }
  void on_start(trial::TrialId, const space::Values& values) override { cells_.on_start(values); }
  void on_result(const Observation& result) override { is_stale_ |= cells_.on_result(result); }
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }
  /// The first cell that may be started and is accepted. It says why.
  std::optional<Cell> next(const std::function<bool(const Cell&)>& accepts);
  space::Values values_of(const Cell& cell) const { return cells_.values_of(cell); }

 private:
  bool is_ready(const Cell& cell) const;
  void look();
  std::size_t allowed(std::size_t variant) const;
  std::optional<Cell> find(const std::function<bool(const Cell&)>& accepts) const;
  std::string why(const Cell& cell) const;
  std::string why_none() const;

  CellOptions options_;
  Cells cells_;
  std::vector<statistics::Looked> looked_;  ///< [variant]; the baseline's is not used
  bool is_stale_ = false;                   ///< something was seen since the last look
  std::string reason_;
};

}  // namespace dlrun::samplers
