// SPDX-License-Identifier: Apache-2.0
// What enters and what leaves a study: its frozen rules, events, decisions, effects.
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
#include "space/space.hpp"
#include "trial/trial.hpp"

namespace dlrun::study {

/// Logical time. A piece of e epochs costs e x examples x (operations of the model / operations of the base model).
using Tick = std::int64_t;

/// What is measured: `metric` at the trial's last epoch or at its best.
struct Objective {
  std::string metric;
  bool maximize = false;
  bool at_best = false;
};

/// A bound on a metric, at the epoch that the objective is from (the first, where there are several): what lies beyond
/// it is infeasible.
struct Bound {
  std::string metric;
  double limit = 0;
  bool is_upper = true;
};

/// The mean of several members' objectives, and how sure it is: mean +- t x standard error, where t is Student's for
/// n - 1 degrees of freedom and 95 %. Folds share training data, so for them it is too narrow rather than too wide.
struct Interval {
  int n = 0;
  double standard_error = 0;
  double low = 0;
  double high = 0;
};

/// When the search ends. All are optional; `trials` counts proposals.
struct Limits {
  std::optional<std::int64_t> trials;
  std::optional<std::int64_t> epochs;  ///< decided epochs, all trials together
  std::optional<double> target;        ///< a visible objective at least as good
  std::optional<double> improvement;   ///< the least that a proposal may promise, in units of the objective
  std::optional<std::int64_t> stall;   ///< so many trials in a row without a better visible objective
};

/// How often an attempt is repeated, by cause; what is not named is not repeated. Some causes are free
/// (trial::is_free()). Each cause counts only itself, over the life of a member. worker_lost is repeated as often as it
/// says; the others lie in what is run, and twice the same (on one host) is the trial's fault: they are repeated once
/// at most. A trial fails where one of its members does.
using Retries = std::map<trial::Cause, int>;

/// The frozen rules of a study; equal rules and equal events give equal decisions.
struct Rules {
  std::uint64_t seed = 0;
  int lanes = 8;
  Tick slack = 0;                  ///< L of the logical clock, in ticks
  Tick stride = 0;                 ///< lane i begins at i x stride
  bool arrival = false;            ///< order: arrival, the ordinary asynchronous form
  Objective objective;             ///< the first of them, where there are several
  std::vector<Objective> further;  ///< the others
  std::vector<Bound> bounds;       ///< what makes a trial feasible
  Limits limits;
  Retries retries;
  trial::Members members;              ///< of every trial; its objective is their mean
  std::int64_t epochs = 1;             ///< the largest budget of a member
  bool test_best = false;              ///< measure the test split for the best trial when the search is over
  bool test_all = false;               ///< beside test_best: for every completed trial
  samplers::ExplorerOptions explorer;  ///< what heirs try, where the pruner names any
  std::vector<space::Values> enqueue;  ///< tried first, in order; unset: the sampler fills it in
  /// Cost of going from epoch `from` to `to` with these values. Pure. Empty: 1000 ticks an epoch.
  std::function<Tick(const space::Values&, std::int64_t from, std::int64_t to)> cost;
};

// ---- what comes from outside, committed before it counts ----
struct PieceEnded {
  trial::PieceResult result;
};  ///< a worker's result (also a failure)
struct AttemptLost {
  trial::PieceKey key;
  int attempt;
  trial::Cause cause;
  std::string message;
  std::string log_tail;
};
/// It is far behind: its piece gets a second attempt beside it, the copy, under the next number. Whichever of the two
/// is home first counts, and as long as both run the failure or loss of one is nothing but the end of that one.
struct AttemptCopied {
  trial::PieceKey key;
  int attempt;
};
struct StopAsked {
  std::string reason;
};                  ///< a person, or the wall-clock limit
struct Resumed {};  ///< a stopped study goes on
struct CancelAsked {
  trial::TrialId trial;
};
struct RetryAsked {
  trial::TrialId trial;
};  ///< a failed trial is given another attempt
struct EnqueueAsked {
  space::Values values;  ///< unset: the sampler fills it in
};                       ///< a person wants these values tried, beyond the limit of trials
struct TestMeasured {
  trial::PieceResult result;
};
/// A trial of an earlier study, as a point of this one's space; a parameter that only this study has is unset.
struct EarlierTrial {
  std::int64_t number = 0;  ///< in its own study
  space::Values values;
  std::vector<double> objectives;  ///< as measured, all of them; empty: failed
  std::int64_t steps = 0;          ///< epochs behind them
  bool is_whole = true;            ///< it got all its epochs
};
/// What the sampler is told of an earlier study before the first trial (`learn_from:`). It stands in the log, so
/// nothing ever depends on that study again.
struct Learned {
  std::string study;
  std::string hash;  ///< of its spec
  std::vector<EarlierTrial> trials;
  std::map<std::string, std::int64_t> left_out;  ///< how many of its trials are not among them, by reason
};
/// What a study becomes where it is amended. Parameters and choices keep their places: new ones come after the old, and
/// a constraint forbids what was taken away, so every value of an earlier trial is still a value.
struct Amendment {
  Rules rules;
  space::Space space;
  space::Values defaults;              ///< of the parameters that are new: what the trials so far had
  std::optional<std::string> sampler;  ///< begins anew and is told all that was visible; none: the old one goes on
  std::optional<pruners::PrunerOptions> pruner;  ///< begins anew, paused trials end; none: the old one goes on
};
/// The spec has another version: what is decided finishes, then it takes effect (docs/logical-clock.md, rule 10).
struct Amended {
  int version = 1;                              ///< 0 is the spec that the study began with
  std::string hash;                             ///< of the spec
  std::string digest;                           ///< of all that the store keeps of this version
  std::vector<std::string> changes;             ///< "limits.trials: 20 -> 40", for people
  std::map<std::string, std::string> defaults;  ///< of new parameters, JSON by name
  std::shared_ptr<const Amendment> to = {};     ///< what that means; not in the log, whoever replays it fills it in
};
using Event = std::variant<PieceEnded, AttemptLost, StopAsked, Resumed, CancelAsked, RetryAsked, TestMeasured, Learned,
                           EnqueueAsked, Amended, AttemptCopied>;

// ---- what is decided: rows ----
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
  std::optional<trial::PieceKey> donor = {};  ///< start of an heir: whose weights, after which piece
  int lanes = 1;       ///< idle: of so many lanes, in the order they fall free; a number of decisions belongs to each
  std::string reason;  ///< for explain: "rung 1: 0.91 is 1st of 3", "limit of 32 trials", …
};

// ---- what is to be done ----
/// Give this piece to a worker. `resume` is the artifact it goes on from. Attempts of a piece count from 1.
struct StartPiece {
  trial::PieceKey key;
  int attempt;
  std::int64_t from_step, to_step;
  std::string resume;
  int copy_of = 0;  ///< the attempt that it runs beside; 0: none
};
/// Whoever runs it must stop; a result of it is fenced.
struct AbandonPiece {
  trial::PieceKey key;
  int attempt;
};
/// The trial's row has changed.
/// Begin of the message of a trial that was paused when the search ended; the number of its rung follows.
constexpr const char* kLeftBehind = "not among those that went on from rung ";
struct TrialChanged {
  trial::TrialId trial;
  trial::TrialState state;
  std::optional<double> objective;  ///< as far as known (best or last)
  std::int64_t steps = 0;           ///< epochs done
  trial::Cause cause = trial::Cause::none;
  std::string message;
  std::int64_t objective_step = 0;        ///< the epoch the objective is from; of several members the first one's
  std::vector<double> further;            ///< the other objectives, as measured
  std::optional<double> violation;        ///< of the bounds, where there are any; 0: feasible
  std::optional<Interval> interval = {};  ///< where several members were measured
};
/// One of several members was measured: its objective after its newest piece.
struct MemberMeasured {
  trial::Member member;
  double objective = 0;
  std::int64_t objective_step = 0;
  std::int64_t steps = 0;
};
/// Measure the test split of a member of the best trial from this artifact (empty: the kind of trial keeps none). The
/// members come one after the other, then the study is over. May come again, after a result that failed or a crash.
struct MeasureTest {
  trial::Member member;
  std::string artifact;
  std::int64_t step;
};
/// A later attempt of a piece measured something else than the committed one: report it loudly, keep the first.
struct Diverged {
  trial::PieceKey key;
  int attempt;
};
/// The study is over.
struct Finished {
  std::string reason;
};
using Effect = std::variant<StartPiece, AbandonPiece, TrialChanged, MemberMeasured, MeasureTest, Diverged, Finished>;

/// What one step of the study yields, in order.
struct Output {
  std::vector<Event> events;  ///< that it raises: absorbed already, to be recorded before the rest
  std::vector<Decision> decisions;
  std::vector<Effect> effects;
  std::vector<StartPiece> under_way = {};  ///< of resume_work(): not to be started, somebody may be at them
};

}  // namespace dlrun::study
