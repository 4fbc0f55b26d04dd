// SPDX-License-Identifier: Apache-2.0
// The study: logical clock, trials, retries. Rules of the clock: docs/logical-clock.md.
#pragma once
#include <memory>
#include <optional>

#include "pruners/pruner.hpp"
#include "samplers/sampler.hpp"
#include "study/types.hpp"

namespace dlrun::study {

/// A trial as it stands.
struct TrialView {
  trial::TrialId id;
  trial::TrialState state = trial::TrialState::waiting;
  space::Values values;
  std::optional<double> objective;
  std::int64_t objective_step = 0;   ///< the epoch the objective is from
  std::int64_t steps = 0;
  int attempts = 0;
  trial::Cause cause = trial::Cause::none;
};

/// Lives in the driver; equal calls give equal outputs.
///
/// Going on after a crash: replay every recorded row in order, absorb() for events and apply() for decisions, throw the
/// outputs of absorb() away, then call resume_work(), which yields a StartPiece (with a new attempt number) for every
/// piece decided and not ended, then decide() as always.
class Study {
 public:
  Study(Rules rules, space::Space space, std::unique_ptr<samplers::Sampler> sampler,
        std::unique_ptr<pruners::Pruner> pruner);
  ~Study();

  /// Takes in an event that is committed. Stale attempts and repeated results change nothing.
  Output absorb(const Event& event);
  /// Takes every decision that can be taken now; they are applied already. The driver records them before their
  /// effects leave the machine.
  Output decide();
  /// Replay: applies a recorded decision instead of computing it. @throws Error(store) where it cannot follow.
  void apply(const Decision& decision);
  /// After replay: new attempts for what was under way (cause driver_lost, free of charge).
  Output resume_work();

  bool is_finished() const;
  bool is_stopped() const;
  std::string finish_reason() const;
  /// Would this attempt's result be taken? False: answer `fenced`.
  bool is_current(const trial::PieceKey& key, int attempt) const;
  std::int64_t trial_count() const;
  TrialView trial(trial::TrialId id) const;
  std::optional<trial::TrialId> best() const;
  /// Pieces decided and not ended.
  std::int64_t pending() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dlrun::study
