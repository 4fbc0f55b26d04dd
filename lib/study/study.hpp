// SPDX-License-Identifier: Apache-2.0
// The study: logical clock, trials, retries. Rules of the clock: docs/logical-clock.md.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "pruners/pruner.hpp"
#include "samplers/sampler.hpp"
#include "study/types.hpp"

namespace dlrun::study {

/// A trial as it stands. waiting: a failed trial was given another attempt and no lane has taken it yet; running: its
/// piece is decided and has not ended (whether a worker holds it, the driver knows); paused: its piece has ended and it
/// may go on; completed: whole budget, ended early by itself, or the target reached; pruned: stopped by the pruner, or
/// the search ended without it.
struct TrialView {
  trial::TrialId id;
  trial::TrialState state = trial::TrialState::waiting;
  space::Values values;
  std::optional<double> objective;  ///< as measured; none where it failed
  std::int64_t objective_step = 0;  ///< the epoch the objective is from
  std::vector<double> further;      ///< the other objectives, as measured
  std::optional<double> violation;  ///< of the bounds, where there are any; 0: feasible
  std::int64_t steps = 0;
  int attempts = 0;
  trial::Cause cause = trial::Cause::none;
  std::optional<trial::PieceKey> donor = {};  ///< whose weights it began with, after which piece
  std::optional<Interval> interval = {};      ///< of the objective, where several members were measured
};

struct State;

/// Lives in the driver; equal calls give equal outputs. Rows are recorded in the order of the calls: the event of an
/// absorb() and those that it raises, then the decisions of a decide().
///
/// Going on after a crash: replay every recorded row in order, absorb() for events and apply() for decisions, throw the
/// outputs of absorb() away, then call resume_work(), then decide() as always. A study that was stopped needs a Resumed
/// before it decides again.
///
/// What decides (logical order): what the pruner stops, then members of trials that were decided, then a retry that a
/// person asked for, then values that one asked for, then the pruner's next promotion, then a new trial from the
/// sampler, then a promotion that waited for more new trials, else the lane stands idle until the earliest pending end
/// + slack, and with nothing pending the search is over: paused trials become pruned. A target met by a visible
/// objective, or too many trials without a better one (of several objectives: one that none before it dominates), end
/// promotions and new trials. A proposal that promises less than the limit opens no trial: its lane stands idle, for
/// results under way may promise more, and with nothing pending the search is over. Limits on epochs are never passed:
/// what does not fit is not decided.
class Study {
 public:
  Study(Rules rules, space::Space space, std::unique_ptr<samplers::Sampler> sampler,
        std::unique_ptr<pruners::Pruner> pruner);
  ~Study();
  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;

  using IsUnderWay = std::function<bool(const trial::PieceKey&, int attempt)>;

  /// Takes in an event that is committed. Stale attempts and repeated results change nothing.
  Output absorb(const Event& event);
  /// Takes every decision that can be taken now; they are applied already. The driver records them before their
  /// effects leave the machine.
  Output decide();
  /// Replay: applies a recorded decision instead of computing it. @throws Error(store) where it cannot follow.
  void apply(const Decision& decision);
  /// After replay: what was under way is lost (`events`: an AttemptLost each, cause driver_lost, free of charge, to be
  /// recorded, so that a second crash does not give the same number again) and gets a StartPiece with a new attempt
  /// number, in logical order. Asks again for the test where that was under way.
  /// @param is_under_way  attempts that may go on without the driver that began them. They keep their number and stand
  ///                      in `under_way`; whoever calls sees to it that each ends, be it by AttemptLost
  Output resume_work(const IsUnderWay& is_under_way = {});

  bool is_finished() const;  ///< the search is over and the test measured, where one is wanted
  bool is_stopped() const;   ///< by a person or a limit of time: no more decisions until Resumed
  std::string finish_reason() const;
  /// Would this attempt's result be taken? False: answer `fenced`.
  bool is_current(const trial::PieceKey& key, int attempt) const;
  /// Would AttemptCopied of this one begin a copy? An attempt gets one at most, a copy none.
  bool may_be_copied(const trial::PieceKey& key, int attempt) const;
  std::int64_t trial_count() const;
  TrialView trial(trial::TrialId id) const;
  const trial::Members& members() const;
  const space::Space& space() const;  ///< the one that trials are points of, now
  /// Values that people asked for and that are not decided.
  std::vector<space::Values> asked() const;
  /// Not decided by a pruner that an amendment has replaced.
  bool can_be_retried(trial::TrialId id) const;
  /// The best trial by the rule of study/best.hpp; with several objectives it is one of the front.
  std::optional<trial::TrialId> best() const;
  /// Completed trials that no other dominates; with one objective the best ones. Ascending.
  std::vector<trial::TrialId> front() const;
  /// Pieces decided and not ended.
  std::int64_t pending() const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace dlrun::study
