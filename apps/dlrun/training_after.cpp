// SPDX-License-Identifier: Apache-2.0
#include "training_after.hpp"

#include <fmt/format.h>

#include "document/emit.hpp"
#include "final/after.hpp"
#include "final/donor_rows.hpp"
#include "final/final_run.hpp"
#include "new_file.hpp"
#include "output/final_text.hpp"
#include "running.hpp"
#include "storage/paths.hpp"
#include "study_source.hpp"
#include "util/error.hpp"
#include "util/selector.hpp"
#include "warm_racing.hpp"
#include "warmstart/race.hpp"

namespace dlrun::cli {

namespace {

void require_name(const std::string& name) {
  if (storage::is_valid_name(name) && !is_selector(name)) return;
  throw Error(ErrorKind::usage, "'" + name + "' is no name for a study",
              "--name NAME gives it one of 1 to 100 of the characters A-Z a-z 0-9 . _ -, no number, range or "
              "selector (all, last, best)");
}

/// Settings of the command line may divide the data otherwise.
void require_rows(const final::FinalRun& run, const spec::StudySpec& spec, const std::filesystem::path& store) {
  if (run.plan.takes_donors && !run.plan.is_program)
    final::require_unseen_rows(store, run.plan.donors, {spec.json.at("trial"), spec.seed});
}

/// A final training whose policy is known.
int train_decided(const FinalOrder& order, const Arguments& arguments, Console& console) {
  const final::FinalRun run = final::plan_final(arguments.store(), order.study, order.final, order.name);
  print_plan(final_text(run.plan), is_plan_asked(arguments), console);
  if (arguments.has("output")) {
    write_or_print(arguments.text("output"), document::to_yaml(run.study), console);
    return 0;
  }
  const spec::StudySpec spec =
      read_planned_study({source_name(order), run.study, run.is_compared, order.sets}, arguments.store(), console);
  if (!order.sets.empty()) require_rows(run, spec, arguments.store());
  return arguments.has("plan") ? 0 : run_following(spec, arguments, console);
}

/// The file of --output has the planned study, without settings of the command line.
void require_output(const FinalOrder& order, const Arguments& arguments) {
  if (!arguments.has("output")) return;
  if (!order.sets.empty())
    throw Error(ErrorKind::usage, "--set changes nothing in the file that --output writes",
                "write the file first, then `dlrun tune FILE --set KEY=VALUE`");
  require_new_file(arguments.text("output"));
}

}  // namespace

std::string source_name(const FinalOrder& order) { return fmt::format("the final training '{}'", order.name); }

int train_after(FinalOrder order, const Arguments& arguments, Console& console) {
  require_name(order.name);
  require_output(order, arguments);
  order.final["digest"] = final::digest_of(order.final);
  if (!warmstart::race_of(order.final.value("warm_start", Json()))) return train_decided(order, arguments, console);
  require_name(final::warm_race_name(order.name));
  WarmRaceEnd race = race_warm_starts(order, arguments, console);
  if (!race.final) return race.status;
  FinalOrder decided = order;
  decided.final = std::move(*race.final);
  return train_decided(decided, arguments, console);
}

int train_after_race(const spec::StudySpec& race, const Arguments& arguments, Console& console) {
  const auto wish = final::wish_of(race.json);
  if (!wish || arguments.has("dry-run")) return 0;
  const auto decided = decision_of(race.name, wish->final, arguments, console);
  return decided ? train_decided({wish->study, *decided, wish->name, wish->sets}, arguments, console) : 0;
}

namespace {

/// Trains what the section of a search asks for, or goes on with what was begun for it.
/// @param digest  of the section; empty: a training that was begun for any section counts
int follow(const spec::StudySpec& spec, const Json& final, const std::string& digest, const Arguments& arguments,
           Console& console) {
  const std::string trial = final::trial_after(arguments.store(), spec.name, final);
  const std::string name = final::name_for(arguments.store(), spec, {trial, digest});
  if (const auto begun = final::begun(arguments.store(), name, spec)) return run_following(*begun, arguments, console);
  const auto race = final::begun(arguments.store(), final::warm_race_name(name), spec);
  if (!race) return train_after({spec.name, final, name, {}}, arguments, console);
  const int status = run_following(*race, arguments, console);
  return status == 0 ? train_after_race(*race, arguments, console) : status;
}

/// `final:` of a search that a training follows now; null: none
Json section_to_follow(const spec::StudySpec& spec, const Arguments& arguments) {
  return arguments.has("dry-run") ? Json() : final::section_after(spec);
}

}  // namespace

int train_after_search(const spec::StudySpec& spec, const Arguments& arguments, Console& console) {
  const Json final = section_to_follow(spec, arguments);
  return final.is_null() ? 0 : follow(spec, final, final::digest_of(final), arguments, console);
}

int go_on_after_search(const spec::StudySpec& spec, const Arguments& arguments, Console& console) {
  const Json final = section_to_follow(spec, arguments);
  return final.is_null() ? 0 : follow(spec, final, "", arguments, console);
}

}  // namespace dlrun::cli
