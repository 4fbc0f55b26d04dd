// SPDX-License-Identifier: Apache-2.0
#include "storage/best_trials.hpp"

#include "storage/schema.hpp"

namespace dlrun::storage {

namespace {

constexpr int kSeveralObjectives = 4;  ///< schema that brought them, and bounds

/// Trial, state, cost, violation.
constexpr const char* kMeasured = R"sql(
SELECT t.trial, t.state, iif(s.maximize, -t.objective, t.objective), coalesce(t.violation, 0)
FROM dl_study s CROSS JOIN dl_trial t WHERE t.objective IS NOT NULL ORDER BY t.trial
)sql";

constexpr const char* kMeasuredOfSchema1 = R"sql(
SELECT t.trial, t.state, iif(s.maximize, -t.objective, t.objective), 0
FROM dl_study s CROSS JOIN dl_trial t WHERE t.objective IS NOT NULL ORDER BY t.trial
)sql";

/// Trial and the cost of a further objective, in order.
constexpr const char* kFurther = R"sql(
SELECT v.trial, iif(o.maximize, -v.value, v.value)
FROM dl_value v JOIN dl_objective o ON o.objective = v.objective ORDER BY v.trial, v.objective
)sql";

std::vector<study::Contender> measured(Statement rows) {
  std::vector<study::Contender> trials;
  while (rows.step()) {
    const auto state = static_cast<trial::TrialState>(rows.integer(1));
    trials.push_back({trial::TrialId(rows.integer(0)), state, {{rows.real(2)}, rows.real(3)}});
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

}  // namespace

std::vector<study::Contender> best_trials(Database& study, std::size_t most) {
  const bool has_several = schema_of(study) >= kSeveralObjectives;
  std::vector<study::Contender> trials = measured(study.prepare(has_several ? kMeasured : kMeasuredOfSchema1));
  if (has_several) add_further(trials, study.prepare(kFurther));
  return study::best_first(std::move(trials), most);
}

}  // namespace dlrun::storage
