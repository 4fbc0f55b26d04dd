// SPDX-License-Identifier: Apache-2.0
#include "storage/best_trials.hpp"

#include <algorithm>

#include "storage/raced_winner.hpp"
#include "storage/schema.hpp"

namespace dlrun::storage {

namespace {

constexpr int kSeveralObjectives = 4;  ///< schema that brought them, and bounds

/// Trial, state, objective, violation. The direction is no part of it: a joined row would double the time of large
/// studies.
constexpr const char* kMeasured =
    "SELECT trial, state, objective, coalesce(violation, 0) FROM dl_trial WHERE objective IS NOT NULL ORDER BY trial";

constexpr const char* kMeasuredOfSchema1 =
    "SELECT trial, state, objective, 0 FROM dl_trial WHERE objective IS NOT NULL ORDER BY trial";

/// Trial and the cost of a further objective, in order.
constexpr const char* kFurther = R"sql(
SELECT v.trial, iif(o.maximize, -v.value, v.value)
FROM dl_value v JOIN dl_objective o ON o.objective = v.objective ORDER BY v.trial, v.objective
)sql";

constexpr const char* kPruned = R"sql(
SELECT t.trial FROM dl_study s CROSS JOIN dl_trial t WHERE t.state = ? AND t.objective IS NOT NULL
AND coalesce(t.violation, 0) <= 0 ORDER BY t.epochs DESC, iif(s.maximize, -t.objective, t.objective), t.trial
)sql";

std::vector<study::Contender> measured(Database& study, const char* sql) {
  const double sign = study.integer("SELECT maximize FROM dl_study") != 0 ? -1 : 1;
  std::vector<study::Contender> trials;
  Statement rows = study.prepare(sql);
  while (rows.step()) {
    const auto state = static_cast<trial::TrialState>(rows.integer(1));
    trials.push_back({trial::TrialId(rows.integer(0)), state, {{sign * rows.real(2)}, rows.real(3)}});
  }
  return trials;
}

/// REQUIRES: trials and rows in the order of the trials' numbers.
void add_further(std::vector<study::Contender>& trials, Statement rows) {
  auto trial = trials.begin();
  while (rows.step()) {
    const trial::TrialId id(rows.integer(0));
    while (trial != trials.end() && trial->id < id) ++trial;
    if (trial != trials.end() && trial->id == id) trial->score.values.push_back(rows.real(1));
  }
}

/// The trial leaves the others; a race may choose one that the search pruned.
std::vector<study::Contender> take_winner(std::vector<study::Contender>& trials, trial::TrialId winner) {
  std::vector<study::Contender> taken;
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const auto& one) { return one.id == winner; });
  if (found == trials.end()) return taken;
  taken.push_back(std::move(*found));
  trials.erase(found);
  return taken;
}

}  // namespace

std::vector<study::Contender> best_trials(Database& study, std::size_t most) {
  const bool has_several = schema_of(study) >= kSeveralObjectives;
  std::vector<study::Contender> trials = measured(study, has_several ? kMeasured : kMeasuredOfSchema1);
  if (has_several) add_further(trials, study.prepare(kFurther));
  const auto winner = raced_winner(study);
  if (!winner) return study::best_first(std::move(trials), most);
  std::vector<study::Contender> best = take_winner(trials, winner->trial);
  for (study::Contender& one : study::best_first(std::move(trials), most)) best.push_back(std::move(one));
  best.resize(std::min(best.size(), most));
  return best;
}

std::vector<trial::TrialId> candidates(Database& study, std::size_t most) {
  std::vector<trial::TrialId> trials;
  if (most == 0) return trials;  // files of earlier schemas know nothing of races
  if (const auto winner = last_winner(study)) trials.push_back(winner->trial);
  const auto add = [&](trial::TrialId id) {
    const bool is_new = std::find(trials.begin(), trials.end(), id) == trials.end();
    if (is_new && trials.size() < most) trials.push_back(id);
  };
  for (const study::Contender& one : best_trials(study, most)) {
    if (one.state == trial::TrialState::completed) add(one.id);
  }
  Statement pruned = study.prepare(kPruned);
  pruned.bind(int(trial::TrialState::pruned));
  while (trials.size() < most && pruned.step()) add(trial::TrialId(pruned.integer(0)));
  return trials;
}

}  // namespace dlrun::storage
