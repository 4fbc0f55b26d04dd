// SPDX-License-Identifier: Apache-2.0
// dlrun cancel TRIAL...
#include <fmt/format.h>

#include <map>
#include <optional>

#include "arguments.hpp"
#include "output/console.hpp"
#include "report/report.hpp"
#include "report/selectors.hpp"
#include "report/trials.hpp"
#include "steer.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

/// Columns of the view `trials` with their values.
std::map<std::string, Json> row_of(const std::filesystem::path& store, const std::string& study, std::int64_t number) {
  const auto rows = report::sql(store, {study}, fmt::format("select * from trials where trial = {}", number));
  std::map<std::string, Json> row;
  for (std::size_t i = 0; i < rows.columns.size(); ++i) row[rows.columns[i]] = rows.rows.at(0).at(i);
  return row;
}

/// Mean of several members; nullopt: there is none, or an earlier dlrun wrote the study.
std::optional<study::Interval> interval_of(const std::map<std::string, Json>& row) {
  const auto low = row.find("low");
  if (low == row.end() || !low->second.is_number()) return std::nullopt;
  return study::Interval{row.at("members").get<int>(), row.at("standard_error").get<double>(),
                         low->second.get<double>(), row.at("high").get<double>()};
}

/// The trial's row as a driver would write it: what was measured stays.
study::TrialChanged cancelled(const std::filesystem::path& store, const std::string& study, std::int64_t number) {
  const auto row = row_of(store, study, number);
  study::TrialChanged change{.trial = trial::TrialId(number), .state = trial::TrialState::cancelled};
  change.cause = trial::Cause::cancelled;
  const Json& objective = row.at("objective");
  if (objective.is_number()) change.objective = objective.get<double>();
  change.steps = row.at("epochs").get<std::int64_t>();
  change.objective_step = row.at("objective_step").get<std::int64_t>();
  change.interval = interval_of(row);
  return change;
}

void cancel(const std::filesystem::path& store, const std::string& study, std::int64_t number, Console& console) {
  const trial::TrialState state = report::shown_state(store, study, number);
  if (trial::is_final(state)) {
    console.note(fmt::format("trial {}/{} is {} already", study, number, to_string(state)));
    return;
  }
  const trial::TrialId id(number);
  const study::TrialChanged change = cancelled(store, study, number);
  const Steered steered = steer(store, study, {{"command", "cancel"}, {"trial", number}}, [&](storage::Store& open) {
    open.add(study::CancelAsked{id});
    open.change(change);
    open.attempts().abandon(id);
  });
  console.note(fmt::format("trial {}/{} {}", study, number, steered.is_running ? "is being cancelled" : "cancelled"));
}

int run_cancel(const Arguments& arguments, Console& console) {
  const report::Trials trials = report::find_trials(arguments.store(), arguments.words());
  for (const std::int64_t number : trials.numbers) cancel(arguments.store(), trials.study, number, console);
  return 0;
}

}  // namespace

Verb cancel_verb() {
  return {
      .name = "cancel",
      .summary = "end a trial for good",
      .text = "Its worker leaves it at the next step; what was decided before stays. The search goes on without it.",
      .arguments = {{.name = "TRIAL", .text = "numbers, STUDY/17, 3-7 or last", .kind = Kind::trial, .most = -1}},
      .options = {store_option()},
      .examples = {{"dlrun cancel 3", "trial 3 of the study started last"}, {"dlrun cancel first/3-5", "three"}},
      .run = run_cancel};
}

}  // namespace dlrun::cli
