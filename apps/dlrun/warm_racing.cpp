// SPDX-License-Identifier: Apache-2.0
#include "warm_racing.hpp"

#include <fmt/format.h>

#include "output/final_text.hpp"
#include "report/warm_race.hpp"
#include "running.hpp"
#include "storage/store.hpp"
#include "study_source.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

void check_final(const final::FinalRun& run, const FinalOrder& order, const Arguments& arguments) {
  check_planned_study({source_name(order), run.study, run.is_compared, order.sets}, arguments.store());
}

/// Whoever wins, its final training would be refused for these faults.
void check_finals(const final::WarmRace& race, const FinalOrder& order, const Arguments& arguments) {
  for (const final::WarmArm& arm : race.arms) check_final(arm.whole, order, arguments);
  if (race.compared) check_final(*race.compared, order, arguments);
}

/// The store has this very race, and it is over.
void require_over(const spec::StudySpec& race, const Arguments& arguments) {
  const auto stored = storage::Store::find(arguments.store(), race.name);
  const bool is_begun = stored && stored->hash == race.hash;
  if (is_begun && report::warm_race(arguments.store(), race.name).value().is_over) return;
  throw Error(ErrorKind::usage, "--output writes a final training, but its race has not decided yet",
              "run it without --output, or name a policy");
}

}  // namespace

bool is_plan_asked(const Arguments& arguments) { return arguments.has("plan") && arguments.text("output") != "-"; }

std::optional<Json> decision_of(const std::string& race, const Json& final, const Arguments& arguments,
                                Console& console) {
  std::optional<Json> decided = final::decided_by(arguments.store(), race, final);
  if (!decided) {
    console.warn(fmt::format("the race '{}' is not over, so the final training waits", race));
    return decided;
  }
  const report::WarmRaceResult result = report::warm_race(arguments.store(), race).value();
  console.note(fmt::format("{}: {} wins after {} epochs ({}: {}); the race trained {} epochs", race, result.chosen,
                           result.arm_epochs, result.metric, report::means_text(result), result.epochs));
  return decided;
}

WarmRaceEnd race_warm_starts(const FinalOrder& order, const Arguments& arguments, Console& console) {
  const final::WarmRace race =
      final::plan_warm_race(arguments.store(), {order.study, order.final, order.name, order.sets});
  print_plan(race_text(race), is_plan_asked(arguments), console);
  const spec::StudySpec spec = read_planned_study(
      {fmt::format("the race '{}'", race.name), race.study, true, order.sets}, arguments.store(), console);
  check_finals(race, order, arguments);
  if (arguments.has("plan")) return {};
  if (arguments.has("output")) {
    require_over(spec, arguments);
  } else if (const int status = run_following(spec, arguments, console); status != 0) {
    return {status, std::nullopt};
  }
  return {0, decision_of(race.name, order.final, arguments, console)};
}

}  // namespace dlrun::cli
