// SPDX-License-Identifier: Apache-2.0
// Values that enter and leave a study: its frozen rules, events, decisions, effects.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pruners/pruner.hpp"
#include "samplers/explorer.hpp"
#include "samplers/sampler.hpp"
#include "space/space.hpp"
#include "trial/trial.hpp"

namespace dlrun::study {

/// Logical time. A piece of e epochs costs e x examples x (operations of the model / operations of the base model).
using Tick = std::int64_t;

/// Objective of a study: `metric` at the trial's last epoch or at its best one.
struct Objective {
  std::string metric;
  bool maximize = false;
  bool at_best = false;
};

/// A bound on a metric, at the epoch that the objective is from (the first objective, if there are several). A trial
/// whose value lies beyond it is infeasible.
struct Bound {
  std::string metric;
  double limit = 0;
  bool is_upper = true;
};

/// Interval around the mean of several members' objectives: mean +- t x standard error, where t is Student's for n - 1
/// degrees of freedom and 95 %. Folds share training data, so their interval is too narrow rather than too wide.
struct Interval {
  int n = 0;
  double standard_error = 0;
  double low = 0;
  double high = 0;
};

/// Limits that end the search. All are optional; `trials` counts proposals.
struct Limits {
  std::optional<std::int64_t> trials;
  std::optional<std::int64_t> epochs;  ///< decided epochs, all trials together
  std::optional<double> target;        ///< a visible objective at least as good
  std::optional<double> improvement;   ///< least promise of a proposal, in units of the objective
  std::optional<std::int64_t> stall;   ///< number of trials in a row without a better visible objective
};

/// How often an attempt is repeated, by cause; other causes are not repeated. Some causes are free (trial::is_free()).
/// Each cause counts only itself, over the life of a member. Only worker_lost is repeated as often as this says; the
/// other causes lie in the trial itself if they occur twice (on one host), so they are repeated once at most. A trial
/// fails if one of its members does.
using Retries = std::map<trial::Cause, int>;

/// The frozen rules of a study; equal rules and equal events give equal decisions.
struct Rules {
  std::uint64_t seed = 0;
  int lanes = 8;
  Tick slack = 0;                  ///< L of the logical clock, in ticks
  Tick stride = 0;                 ///< lane i begins at i x stride
  bool arrival = false;            ///< order: arrival, the ordinary asynchronous form
  Objective objective;             ///< the first one, if there are several
  std::vector<Objective> further;  ///< objectives after the first
  std::vector<Bound> bounds;       ///< conditions under which a trial is feasible
  Limits limits;
  Retries retries;
  trial::Members members;              ///< members of every trial; its objective is their mean
  std::int64_t epochs = 1;             ///< the largest budget of a member
  bool test_best = false;              ///< after the search, measure the test split for the best trial
  bool test_all = false;               ///< beside test_best: measure it for every completed trial
  samplers::ExplorerOptions explorer;  ///< source of heirs' values, if the pruner names heirs
  std::vector<space::Values> enqueue;  ///< points to try first, in order; the sampler fills in unset values
  /// Cost of going from epoch `from` to `to` with these values. Pure. Empty: 1000 ticks an epoch.
  std::function<Tick(const space::Values&, std::int64_t from, std::int64_t to)> cost;
};

// ---- events from outside, committed before they count ----
/// A worker's result, also a failure.
struct PieceEnded {
  trial::PieceResult result;
};
/// An attempt ended without a result.
struct AttemptLost {
  trial::PieceKey key;
  int attempt;
  trial::Cause cause;
  std::string message;
  std::string log_tail;
};
/// An attempt is far behind: its piece gets a second attempt beside it, the copy, under the next number. The first
/// result of the two counts. While both run, the failure or loss of one ends only that one.
struct AttemptCopied {
  trial::PieceKey key;
  int attempt;
};
/// A person, or the wall-clock limit, stops the study.
struct StopAsked {
  std::string reason;
};
/// A stopped study continues.
struct Resumed {};
/// A person ends a trial.
struct CancelAsked {
  trial::TrialId trial;
};
/// A person gives a failed trial another attempt.
struct RetryAsked {
  trial::TrialId trial;
};
/// A person wants these values tried, beyond the limit of trials.
struct EnqueueAsked {
  space::Values values;  ///< the sampler fills in unset ones
};
/// A result on the test split, also a failure.
struct TestMeasured {
  trial::PieceResult result;
};
/// A trial of an earlier study, as a point of this one's space; a parameter that only this study has is unset.
struct EarlierTrial {
  std::int64_t number = 0;  ///< in its own study
  space::Values values;
  std::vector<double> objectives;  ///< all objectives as measured; empty: the trial failed
  std::int64_t steps = 0;          ///< epochs behind them
  bool is_whole = true;            ///< the trial got all its epochs
};
/// Trials of an earlier study that the sampler is told before the first trial (`learn_from:`). They are in the log, so
/// decisions never depend on that study's file again.
struct Learned {
  std::string study;
  std::string hash;  ///< hash of its spec
  std::vector<EarlierTrial> trials;
  std::map<std::string, std::int64_t> left_out;  ///< number of its other trials, by the reason to leave them out
};
/// Makes a sampler that the room samplers does not have, such as a plugin's.
using SamplerMaker = std::function<std::unique_ptr<samplers::Sampler>(const space::Space& space, std::uint64_t seed)>;
/// Meaning of an amendment. Parameters and choices keep their places: new ones come after the old ones, and a
/// constraint forbids removed ones. So every value of an earlier trial remains valid.
struct Amendment {
  Rules rules;
  space::Space space;
  space::Values defaults;              ///< values that the trials so far had for the new parameters
  std::optional<std::string> sampler;  ///< a new sampler, to be told all that is visible; none: the old one remains
  std::optional<pruners::PrunerOptions> pruner;  ///< a new pruner; paused trials end; none: the old one remains
  SamplerMaker make_sampler = {};                ///< makes the new sampler; none: samplers::make_sampler()
};
/// The spec has another version. Decided work finishes, then the version takes effect (docs/logical-clock.md, rule 10).
struct Amended {
  int version = 1;                              ///< 0 is the spec that the study began with
  std::string hash;                             ///< hash of the spec
  std::string digest;                           ///< digest of all that the store keeps about this version
  std::vector<std::string> changes;             ///< "limits.trials: 20 -> 40", for people
  std::map<std::string, std::string> defaults;  ///< defaults of new parameters, JSON by name
  std::shared_ptr<const Amendment> to = {};     ///< not in the log; callers fill it in for a replay
};
/// A person asked for a trial while all lanes were busy: one lane more from now on. Only in order arrival.
struct LaneAdded {};
using Event = std::variant<PieceEnded, AttemptLost, StopAsked, Resumed, CancelAsked, RetryAsked, TestMeasured, Learned,
                           EnqueueAsked, Amended, AttemptCopied, LaneAdded>;

// ---- decisions: rows of the log ----
enum class DecisionKind { start, go_on, idle, prune, finish, amend };

/// One decision of the logical clock, taken when `lane` fell free at `at`. Part of the format.
struct Decision {
  std::int64_t number = 0;
  DecisionKind kind = DecisionKind::start;
  int lane = 0;
  Tick at = 0;          ///< order arrival: number of pieces that had ended
  Tick end = 0;         ///< start, go_on: planned end; idle: until when; order arrival: 0
  trial::PieceKey key;  ///< start, go_on, prune
  std::int64_t from_step = 0;
  std::int64_t to_step = 0;
  space::Values values;                       ///< start only
  std::optional<trial::PieceKey> donor = {};  ///< start of an heir: the donor of its weights, after a piece
  int lanes = 1;       ///< idle: number of lanes, in the order they fall free; each takes a decision's number
  std::string reason;  ///< text for `explain`: "rung 1: 0.91 is 1st of 3", "limit of 32 trials", …
};

// ---- effects: work for the driver ----
/// Give this piece to a worker. `resume` is the artifact that training continues from. Attempts of a piece count
/// from 1.
struct StartPiece {
  trial::PieceKey key;
  int attempt;
  std::int64_t from_step, to_step;
  std::string resume;
  int copy_of = 0;  ///< number of the attempt that this one copies; 0: none
};
/// The attempt's worker must stop; a result of the attempt is fenced.
struct AbandonPiece {
  trial::PieceKey key;
  int attempt;
};
/// Begin of the message of a trial that was paused when the search ended; the number of its rung follows.
constexpr const char* kLeftBehind = "not among those that went on from rung ";
/// The trial's row has changed.
struct TrialChanged {
  trial::TrialId trial;
  trial::TrialState state;
  std::optional<double> objective;  ///< best or last one so far, as the rules say
  std::int64_t steps = 0;           ///< epochs done
  trial::Cause cause = trial::Cause::none;
  std::string message;
  std::int64_t objective_step = 0;        ///< epoch of the objective, in the first member
  std::vector<double> further;            ///< other objectives, as measured
  std::optional<double> violation;        ///< distance beyond the bounds, if there are any; 0: feasible
  std::optional<Interval> interval = {};  ///< set if several members were measured
};
/// One of several members was measured: its objective after its newest piece.
struct MemberMeasured {
  trial::Member member;
  double objective = 0;
  std::int64_t objective_step = 0;
  std::int64_t steps = 0;
};
/// Measure the test split of a member from this artifact (empty: the kind of trial keeps none). The members come one
/// after the other, then the study is over. The same order comes again after a result that failed or a crash.
struct MeasureTest {
  trial::Member member;
  std::string artifact;
  std::int64_t step;
};
/// A later attempt of a piece differs from the committed one: report this loudly, keep the first.
struct Diverged {
  trial::PieceKey key;
  int attempt;
};
/// The study is over.
struct Finished {
  std::string reason;
};
using Effect = std::variant<StartPiece, AbandonPiece, TrialChanged, MemberMeasured, MeasureTest, Diverged, Finished>;

/// Results of one step of the study, in order.
struct Output {
  std::vector<Event> events;  ///< events that the step raised: absorbed already, to be recorded before the rest
  std::vector<Decision> decisions;
  std::vector<Effect> effects;
  std::vector<StartPiece> under_way = {};  ///< from resume_work(): not to be started, workers may be at them
};

}  // namespace dlrun::study
