// SPDX-License-Identifier: Apache-2.0
#include "study/ending.hpp"

#include "study/view.hpp"

namespace dlrun::study {

using trial::TrialState;

void end_paused(State& s, const std::function<std::string(trial::TrialId)>& why, Output& out) {
  for (std::int64_t i = 0; i < s.trials.size(); ++i) {
    const trial::TrialId id(i);
    if (s.trials[id].state != TrialState::paused) continue;
    const bool is_done = s.ranking.meets_target(id) || s.pruner->is_whole(id);
    s.trials[id].state = is_done ? TrialState::completed : TrialState::pruned;
    if (is_done) s.ranking.note_completed(id);
    report_change(s, id, is_done ? "" : why(id), out);
  }
}

void finish(State& s, const std::string& reason, Output& out) {
  const auto left_behind = [&](trial::TrialId id) {
    return kLeftBehind + std::to_string(s.trials[id].rung_after(s.trials[id].pieces - 1));
  };
  end_paused(s, left_behind, out);
  s.tested = 0;
  s.stage.end_search(reason, s.rules.test_best && s.ranking.best());
  if (s.stage.is_testing()) return ask_test(s, out);
  out.effects.emplace_back(Finished{reason});
}

namespace {

/// All completed trials, those that the sampler chose, or the best one.
std::vector<trial::TrialId> trials_to_test(const State& s) {
  std::vector<trial::TrialId> trials;
  for (std::int64_t i = 0; s.rules.test_all && i < s.trials.size(); ++i) {
    const trial::TrialId id(i);
    if (s.trials[id].state == TrialState::completed) trials.push_back(id);
  }
  if (!s.rules.test_all) trials = s.proposer.chosen_trials();
  if (trials.empty() && s.ranking.best()) trials.push_back(*s.ranking.best());
  return trials;
}

}  // namespace

std::vector<trial::Member> members_to_test(const State& s) {
  std::vector<trial::Member> members;
  for (const trial::TrialId id : trials_to_test(s)) {
    for (int m = 0; m < s.trials.plan().count(); ++m) members.push_back(s.trials.plan().at(id, m));
  }
  return members;
}

void ask_test(const State& s, Output& out) {
  const trial::Member member = members_to_test(s)[s.tested];
  const MemberRecord& r = s.trials[member];
  const bool has_best = s.rules.objective.at_best && !r.best.empty();
  out.effects.emplace_back(MeasureTest{member, has_best ? r.best : r.last, has_best ? r.objective_step : r.steps});
}

void absorb(State& s, const TestMeasured& event, Output& out) {
  const trial::PieceResult& result = event.result;
  if (!s.stage.is_testing()) return;
  const std::vector<trial::Member> all = members_to_test(s);
  if (s.tested >= all.size() || result.key.member != all[s.tested]) return;
  const bool has_failed = result.outcome == trial::Outcome::failed;
  if (has_failed && s.failures.allows_another(result.key.member, result.cause)) return ask_test(s, out);
  if (++s.tested < all.size()) return ask_test(s, out);
  s.stage.end_tests();
  out.effects.emplace_back(Finished{s.stage.reason()});
}

}  // namespace dlrun::study
