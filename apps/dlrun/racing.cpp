// SPDX-License-Identifier: Apache-2.0
#include "racing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "final/race_run.hpp"
#include "report/race.hpp"
#include "running.hpp"
#include "steer.hpp"
#include "study_source.hpp"

namespace dlrun::cli {

namespace {

/// @param race  that is over
void crown(const std::string& search, const std::string& race, const Arguments& arguments, Console& console) {
  const auto winner = report::raced(arguments.store(), race);
  if (!winner)
    return console.warn(fmt::format("the race '{}' has no winner: it is not over, or every candidate failed", race));
  write_to_study(arguments.store(), search, [&](storage::Store& store) { store.crown(*winner); });
  console.note(
      fmt::format("{}: trial {} is the best from now on, by the race '{}'", search, winner->trial.value, race));
}

}  // namespace

int race_after_search(const spec::StudySpec& search, const Arguments& arguments, Console& console) {
  if (arguments.has("dry-run") || !search.winner || search.winner->of) return 0;
  const auto race = final::plan_race(arguments.store(), search.name, *search.winner);
  if (!race) return 0;
  console.note(fmt::format("{}: trials {} race for the best", search.name, fmt::join(race->candidates, ", ")));
  const spec::StudySpec spec = read_planned_study({fmt::format("the race of '{}'", search.name), race->study, true, {}},
                                                  arguments.store(), console);
  const int status = run_following(spec, arguments, console);
  if (status == 0) crown(search.name, spec.name, arguments, console);
  return status;
}

std::optional<spec::StudySpec> end_of_race(const spec::StudySpec& race, const Arguments& arguments, Console& console) {
  const auto search = storage::Store::find(arguments.store(), *race.winner->of);
  if (!search) return std::nullopt;
  crown(*race.winner->of, race.name, arguments, console);
  return spec::from_json(search->spec, search->spec_text);
}

}  // namespace dlrun::cli
