// SPDX-License-Identifier: Apache-2.0
// The study: logical clock, trials, retries. Rules of the clock: docs/logical-clock.md.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "pruners/pruner.hpp"
#include "samplers/sampler.hpp"
#include "study/objective.hpp"
#include "study/types.hpp"

namespace dlrun::study {

/// A trial as it stands now. States:
/// - waiting: a failed trial was given another attempt, and no lane has taken it yet;
/// - running: its piece is decided and has not ended (whether a worker holds it, only the driver knows);
/// - paused: its piece has ended, and it may continue;
/// - completed: it used its whole budget, ended early by itself, or reached the target;
/// - pruned: the pruner stopped it, or the search ended without it.
struct TrialView {
  trial::TrialId id;
  trial::TrialState state = trial::TrialState::waiting;
  space::Values values;
  std::optional<double> objective;  ///< as measured; none if the trial failed
  std::int64_t objective_step = 0;  ///< epoch of the objective
  std::vector<double> further;      ///< other objectives, as measured
  std::optional<double> violation;  ///< distance beyond the bounds, if there are any; 0: feasible
  std::int64_t steps = 0;
  int attempts = 0;
  trial::Cause cause = trial::Cause::none;
  std::optional<trial::PieceKey> donor = {};  ///< donor of its first weights, after a piece
  std::optional<Interval> interval = {};      ///< around the objective, if several members were measured
};

struct State;

/// The life of a study, owned by the driver; equal calls give equal outputs. Rows are recorded in the order of the
/// calls: the event of an absorb() and those that it raises, then the decisions of a decide().
///
/// To continue after a crash, replay every recorded row in order: absorb() for events and apply() for decisions. Throw
/// the outputs of absorb() away. Then call resume_work(), then decide() as always. A study that was stopped needs a
/// Resumed before it decides again.
///
/// A decision of the logical order is the first of these that there is:
/// - a trial that the pruner stops;
/// - the next member of a trial that was decided;
/// - a retry that a person asked for;
/// - values that a person asked for;
/// - an heir of a trial, then the pruner's next promotion;
/// - a new trial from the sampler;
/// - a promotion that waited for more new trials;
/// - idling until the earliest pending end + slack;
/// - with nothing pending, the end of the search: paused trials become pruned.
///
/// Promotions and new trials end with a target that a visible objective meets. They also end after too many trials
/// without a better one (with several objectives: without one that none before it dominates). A proposal that promises
/// less than the limit opens no trial, and its lane stands idle, because results under way may promise more. Limits on
/// epochs are never passed: pieces that do not fit are not decided.
class Study {
 public:
  Study(Rules rules, space::Space space, std::unique_ptr<samplers::Sampler> sampler,
        std::unique_ptr<pruners::Pruner> pruner);
  ~Study();
  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;

  using IsUnderWay = std::function<bool(const trial::PieceKey&, int attempt)>;

  /// Applies an event that is committed. Stale attempts and repeated results change nothing.
  Output absorb(const Event& event);
  /// Takes and applies every decision that can be taken now. The driver records them before their effects leave the
  /// machine.
  Output decide();
  /// Replay: applies a recorded decision instead of computing it. @throws Error(store) if it cannot follow.
  void apply(const Decision& decision);
  /// After replay, attempts under way are lost, and their pieces get a StartPiece with a new attempt number, in logical
  /// order. `events` has an AttemptLost for each, with cause driver_lost, free of charge. They are to be recorded, so
  /// that a second crash does not give the same number again. A test under way is ordered again.
  /// @param is_under_way  attempts that may continue without the driver that began them. They keep their number and are
  ///                      listed in `under_way`; the caller ensures that each ends, if need be by AttemptLost
  Output resume_work(const IsUnderWay& is_under_way = {});

  bool is_finished() const;  ///< the search is over, and so are its tests
  bool is_stopped() const;   ///< by a person or a limit of time; no decisions until Resumed
  std::string finish_reason() const;
  /// Would this attempt's result count? If not, answer `fenced`.
  bool is_current(const trial::PieceKey& key, int attempt) const;
  /// Reason why absorb() would take this result for a failure though its attempt ended well: a number that decisions
  /// rest on is missing or not finite. REQUIRES: the attempt is current.
  std::optional<Unmeasured> lack_of(const trial::PieceResult& result) const;
  /// Would AttemptCopied begin a copy of this attempt? An attempt gets one at most, a copy none.
  bool may_be_copied(const trial::PieceKey& key, int attempt) const;
  std::int64_t trial_count() const;
  TrialView trial(trial::TrialId id) const;
  const trial::Members& members() const;
  std::int64_t steps_of(const trial::Member& member) const;  ///< epochs done
  const space::Space& space() const;                         ///< the space of trials, with all amendments so far
  /// Points that people asked for and that are not decided.
  std::vector<space::Values> asked() const;
  /// False for trials of a pruner that an amendment has replaced.
  bool can_be_retried(trial::TrialId id) const;
  /// The best trial by the rule of study/best.hpp; with several objectives it is one of the front.
  std::optional<trial::TrialId> best() const;
  /// Completed trials that no other dominates, ascending; with one objective the best ones.
  std::vector<trial::TrialId> front() const;
  /// Pieces decided and not ended.
  std::int64_t pending() const;
  /// Pieces whose results the next decision has to see.
  std::vector<trial::PieceKey> awaited() const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace dlrun::study
