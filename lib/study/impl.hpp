// SPDX-License-Identifier: Apache-2.0
// The study's state, and who changes it: absorb.cpp takes in events, decide.cpp chooses, carry_out.cpp makes a decision
// (fresh or replayed) come true. For this room alone.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pareto/score.hpp"
#include "study/agenda.hpp"
#include "study/clock.hpp"
#include "study/failures.hpp"
#include "study/progress.hpp"
#include "study/proposer.hpp"
#include "study/ranking.hpp"
#include "study/rounds.hpp"
#include "study/rungs.hpp"
#include "study/stage.hpp"
#include "study/study.hpp"
#include "study/trials.hpp"

namespace dlrun::study {

class Study::Impl {
 public:
  Impl(Rules rules, space::Space space, std::unique_ptr<samplers::Sampler> sampler,
       std::unique_ptr<pruners::Pruner> pruner);

  // absorb.cpp
  void take(const PieceEnded& event, Output& out);
  void take(const AttemptLost& event, Output& out);
  void take(const AttemptCopied& event, Output& out);
  void take(const StopAsked& event, Output& out);
  void take(const Resumed& event, Output& out);
  void take(const CancelAsked& event, Output& out);
  void take(const RetryAsked& event, Output& out);
  void take(const TestMeasured& event, Output& out);
  void take(const Learned& event, Output& out);
  void take(const EnqueueAsked& event, Output& out);
  void take(const Amended& event, Output& out);
  Output resume_work(const IsUnderWay& is_under_way);

  // decide.cpp
  Output decide();
  void apply(const Decision& decision);

  TrialView view(trial::TrialId id) const;
  bool is_current(const trial::PieceKey& key, int attempt) const;
  bool may_be_copied(const trial::PieceKey& key, int attempt) const;
  const space::Space& space() const { return space_; }
  std::vector<space::Values> asked() const { return {agenda_.points.begin(), agenda_.points.end()}; }
  bool is_closed(trial::TrialId id) const { return id < closed_before_; }

  Stage stage;
  Trials trials;
  Clock clock;
  Ranking ranking;

 private:
  // absorb.cpp
  void complete(Piece& piece, const trial::PieceResult& result, Output& out);
  void fail_attempt(Piece& piece, int attempt, trial::Cause cause, const std::string& message, Output& out);
  void overtake(const Piece& piece, int winner, Output& out) const;
  StartPiece start_of(const Piece& piece, int attempt, int copy_of) const;
  void start_attempt(const Piece& piece, int copy_of, Output& out);
  bool settle(trial::TrialId id);
  void give_up(trial::TrialId id);

  // decide.cpp
  void reveal(Tick at);
  std::optional<Decision> choose(const Moment& moment);
  void reveal(const Piece& piece);
  void close_round(trial::TrialId id);
  void show_pruner(trial::TrialId id, const Round& round, const std::optional<pareto::Score>& score);
  void tell_sampler(trial::TrialId id, bool has_value, bool is_whole);
  bool choose_stop(Decision& decision) const;
  bool choose_member(Decision& decision) const;
  std::string name_of(const trial::Member& member) const;
  bool choose_retry(Decision& decision) const;
  void begin_round(Decision& decision, trial::TrialId id, int rung) const;
  bool choose_work(Decision& decision);
  bool choose_heir(Decision& decision);
  std::vector<space::Values> siblings(const pruners::Heir& heir) const;
  bool choose_asked(Decision& decision);
  bool choose_promotion(Decision& decision) const;
  bool choose_new(Decision& decision);
  void choose_nothing(Decision& decision) const;
  std::optional<Decision> choose_before_amendment(Decision decision) const;
  bool promote(Decision& decision, const std::optional<pruners::Promotion>& promotion) const;
  void set_piece(Decision& decision, const trial::Member& member, int piece, int rung) const;
  void set_cost(Decision& decision, std::int64_t from, std::int64_t to) const;
  bool fits(std::int64_t epochs) const;
  std::string closing_reason() const;
  std::string with_metric(const std::string& reason, trial::TrialId trial) const;
  bool is_possible(const Decision& decision) const;
  bool may_start(const Decision& decision) const;
  bool may_go_on(const trial::PieceKey& key) const;
  void require_follows(const Decision& decision) const;

  // amend.cpp
  void amend(const Decision& decision, Output& out);
  void release_left_behind();
  void renew_pruner(const pruners::PrunerOptions& options, Output& out);
  void recount();

  // carry_out.cpp
  void carry_out(const Decision& decision, Output& out);
  void idle(const Decision& decision);
  void start(const Decision& decision, Output& out);
  void inherit(const Decision& decision);
  void go_on(const Decision& decision, Output& out);
  void open_round(const trial::PieceKey& first, std::int64_t epochs, bool is_retry);
  void begin_piece(const Decision& decision, int attempt, Output& out);
  void prune(const Decision& decision, Output& out);
  void finish(const Decision& decision, Output& out);
  void end_paused(const std::function<std::string(trial::TrialId)>& why, Output& out);
  void end_search(const std::string& reason, Output& out);
  void ask_test(Output& out) const;
  std::vector<trial::Member> to_test() const;

  // what all of them use
  void changed(trial::TrialId id, const std::string& message, Output& out) const;
  void end_round_early(trial::TrialId id);

  Points points() const { return {space_, trials, rules_.seed}; }

  Rules rules_;
  space::Space space_;
  Proposer proposer_;
  std::unique_ptr<pruners::Pruner> pruner_;
  Rungs rungs_;
  Failures failures_;
  Progress progress_;
  std::unique_ptr<samplers::Explorer> explorer_;
  Rounds rounds_;
  Agenda agenda_;
  std::size_t tested_ = 0;           ///< of to_test(), those whose test is measured
  trial::TrialId closed_before_{0};  ///< earlier trials are not tried again: their pruner is gone
  std::int64_t next_number_ = 0;
  std::int64_t epochs_ = 0;  ///< decided, all trials together
};

}  // namespace dlrun::study
