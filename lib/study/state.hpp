// SPDX-License-Identifier: Apache-2.0
// State of a study, as plain data. Rules over it are functions of their own: events enter in results.hpp, attempts.hpp,
// requests.hpp and ending.hpp; decisions are chosen in choose.hpp, checked in replay.hpp and made true in
// carry_out.hpp.
#pragma once
#include <memory>

#include "study/agenda.hpp"
#include "study/clock.hpp"
#include "study/failures.hpp"
#include "study/progress.hpp"
#include "study/proposer.hpp"
#include "study/ranking.hpp"
#include "study/rounds.hpp"
#include "study/rungs.hpp"
#include "study/stage.hpp"
#include "study/trials.hpp"

namespace dlrun::study {

/// Parts of a study; none of them knows the State. Neither copied nor moved, because ranking and progress refer to the
/// rules and trials beside them.
struct State {
  State(Rules with, space::Space over, std::unique_ptr<samplers::Sampler> sampler,
        std::unique_ptr<pruners::Pruner> judge);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Points points() const { return {space, trials, rules.seed}; }
  /// Would pieces of this many epochs keep the limit, beside all that is decided and owed?
  bool has_epochs_for(std::int64_t count) const {
    return !rules.limits.epochs || epochs + rounds.owed_epochs() + count <= *rules.limits.epochs;
  }
  /// Would a new trial keep it, with the first piece of each member?
  bool has_epochs_for_new() const {
    return has_epochs_for(trials.plan().count() * rungs.epochs_at(pruner->first_rung()));
  }

  Rules rules;
  space::Space space;
  std::unique_ptr<pruners::Pruner> pruner;
  Proposer proposer;
  std::unique_ptr<samplers::Explorer> explorer;
  Trials trials;
  Rungs rungs;
  Clock clock;
  Rounds rounds;
  Failures failures;
  Ranking ranking;
  Progress progress;
  Agenda agenda;
  Stage stage;
  std::size_t tested = 0;           ///< members whose test is measured, of members_to_test()
  trial::TrialId closed_before{0};  ///< earlier trials are never retried: an amendment replaced their pruner
  std::int64_t next_number = 0;     ///< number of the next decision
  std::int64_t epochs = 0;          ///< sum over all decided pieces
};

}  // namespace dlrun::study
