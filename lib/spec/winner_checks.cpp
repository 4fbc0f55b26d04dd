// SPDX-License-Identifier: Apache-2.0
// `winner:` of a study: the race of its best trials, after the search.
#include <fmt/format.h>

#include <algorithm>

#include "spec/search_section.hpp"
#include "spec/study_spec.hpp"
#include "spec/trial_section.hpp"
#include "trial/kinds.hpp"

namespace dlrun::spec {

namespace {

/// Studies that have no trials of which one is the best, or none that could run again.
void check_use(const Json& study, Faults& faults) {
  const Json &kind = study["trial"]["kind"], &objective = study["objective"];
  if (kind != "train" && !trial::runs_program(kind.get<std::string>()))
    faults.at_key("winner", fmt::format("trials of kind {} cannot run again in a race", kind.get<std::string>()),
                  "remove it; `trial.replicates` repeats every trial");
  if (objective.is_array() && objective.size() > 1)
    faults.at_key("winner", "of several objectives there is a front, and no single winner", "remove it");
  if (study["search"].is_object() && has_heirs(study["search"]["pruner"]))
    faults.at_key("winner", "trials that change their settings on the way cannot run again from the beginning",
                  "remove it, or take another pruner");
}

void check_candidates(const Json& study, std::int64_t candidates, Faults& faults) {
  const Json limits = study.value("limits", Json());
  const Json trials = limits.is_object() ? limits.value("trials", Json()) : Json();
  if (!trials.is_number_integer() || trials >= candidates) return;
  const std::string fewer = fmt::format("candidates: {}", to_text(trials));
  faults.at(faults.was_written("winner.candidates") ? "winner.candidates" : "winner",
            fmt::format("a search of {} trials has no {} candidates", to_text(trials), candidates),
            trials >= 2 ? fewer : "more trials, or remove winner");
}

void check_budget(const Json& winner, Faults& faults) {
  if (!winner["budget"].is_number_integer()) return;
  const auto candidates = winner["candidates"].get<std::int64_t>(), seeds = winner["seeds"].get<std::int64_t>();
  const auto budget = winner["budget"].get<std::int64_t>();
  if (budget < 2 * candidates)
    faults.at("winner.budget", fmt::format("{} candidates run twice are {} runs", candidates, 2 * candidates),
              fmt::format("budget: {}, or fewer candidates", 2 * candidates));
  if (budget >= candidates * seeds)
    faults.at(
        "winner.budget",
        fmt::format("it changes nothing: {} candidates x {} seeds are {} runs", candidates, seeds, candidates * seeds),
        "remove it, or write more seeds");
}

}  // namespace

void check_winner(Json& study, bool is_ablation, Faults& faults) {
  Json& winner = study["winner"];
  const bool is_race = winner.is_object() && winner["of"].is_string();
  if (!faults.was_written("winner") || !winner.is_object() || (is_ablation && !is_race)) {
    study.erase("winner");
    return;
  }
  if (is_race || faults.is_bad("winner")) return;
  check_use(study, faults);
  check_candidates(study, winner["candidates"].get<std::int64_t>(), faults);
  check_budget(winner, faults);
  check_name_after(study, "-winner", "the race's", faults);
}

}  // namespace dlrun::spec
