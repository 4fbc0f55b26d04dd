// SPDX-License-Identifier: Apache-2.0
// dlrun retry --failed [STUDY] | TRIAL...
#include <fmt/format.h>

#include "arguments.hpp"
#include "driver/commands.hpp"
#include "driver/recorded_study.hpp"
#include "going_on.hpp"
#include "output/console.hpp"
#include "report/selectors.hpp"
#include "report/trials.hpp"
#include "running.hpp"
#include "steer.hpp"
#include "storage/optuna_rows.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

using Numbers = std::vector<std::int64_t>;

report::Trials failed_trials(const Arguments& arguments) {
  if (arguments.words().size() > 1) throw Error(ErrorKind::usage, "--failed takes one study");
  report::Trials trials{
      .study = report::find_study(arguments.store(), arguments.words().empty() ? "" : arguments.words()[0])};
  trials.numbers = report::trials_in(arguments.store(), trials.study, trial::TrialState::failed);
  return trials;
}

report::Trials chosen(const Arguments& arguments) {
  if (arguments.has("failed")) return failed_trials(arguments);
  if (arguments.words().empty()) {
    throw Error(ErrorKind::usage, "'retry' needs TRIAL or --failed", "usage: dlrun retry --failed [STUDY]");
  }
  report::Trials trials = report::find_trials(arguments.store(), arguments.words());
  for (const std::int64_t number : trials.numbers) {
    const trial::TrialState state = report::shown_state(arguments.store(), trials.study, number);
    if (state == trial::TrialState::failed) continue;
    throw Error(ErrorKind::usage, fmt::format("trial {}/{} is {}, not failed", trials.study, number, to_string(state)),
                "only a failed trial can be given another attempt");
  }
  return trials;
}

/// Checks failed trials. A trial whose retry is recorded already is waiting, and asking again does no harm.
/// @throws Error(usage) if the study would refuse one of them, as its driver does
void require_retryable(const std::filesystem::path& store, const spec::StudySpec& spec, const Numbers& numbers) {
  storage::require_own_study(store, spec.name);
  const auto recorded = driver::replayed(store, spec.name);
  const driver::Commands commands(spec, *recorded, [] { return Json(); });
  for (const std::int64_t number : numbers) {
    if (recorded->trial(trial::TrialId(number)).state != trial::TrialState::failed) continue;
    const Json reply = commands.answer({{"command", "retry"}, {"trial", number}}).reply;
    if (reply.contains("error")) throw Error(ErrorKind::usage, reply["error"].get<std::string>());
  }
}

/// Writes the retries, after a check of the options with which the study then runs here.
void record(const Arguments& arguments, const spec::StudySpec& spec, const Numbers& numbers, storage::Store& open) {
  if (spec.kind != "asked") check_running_options(spec, arguments);
  for (const std::int64_t number : numbers) open.add(study::RetryAsked{trial::TrialId(number)});
}

/// @return whether a driver took them
bool ask(const Arguments& arguments, const spec::StudySpec& spec, const Numbers& numbers) {
  for (auto at = numbers.begin(); at != numbers.end(); ++at) {
    const Steered steered =
        steer(arguments.store(), spec.name, {{"command", "retry"}, {"trial", *at}},
              [&](storage::Store& open) { record(arguments, spec, Numbers(at, numbers.end()), open); });
    if (!steered.is_running) return false;
  }
  return true;
}

int run_retry(const Arguments& arguments, Console& console) {
  const report::Trials trials = chosen(arguments);
  const std::size_t count = trials.numbers.size();
  if (count == 0) {
    console.note(fmt::format("{} has no failed trials", trials.study));
    return 0;
  }
  const storage::StudyRow row = storage::Store::find(arguments.store(), trials.study).value();
  const spec::StudySpec spec = spec::from_json(row.spec, row.spec_text);
  const bool is_dry = arguments.has("dry-run");
  require_retryable(arguments.store(), spec, trials.numbers);
  const bool is_running = !is_dry && ask(arguments, spec, trials.numbers);
  console.note(fmt::format("{} trial{} of {} {} be tried again", count, count == 1 ? "" : "s", trials.study,
                           is_dry ? "would" : "will"));
  if (is_running) return 0;
  if (spec.kind != "asked") return go_on_with(spec, arguments, console);
  if (!is_dry) console.note(fmt::format("dlrun ask {} gives them out again", trials.study));
  return 0;
}

std::vector<Option> retry_options() {
  std::vector<Option> all = {{.name = "failed", .text = "every failed trial of the study"}};
  for (Option& option : running_options()) all.push_back(std::move(option));
  return all;
}

}  // namespace

Verb retry_verb() {
  return {.name = "retry",
          .summary = "give failed trials another attempt",
          .text = "Where the study is running its driver does it; else the study goes on here, as by `dlrun resume`.",
          .arguments = {{.name = "TRIAL",
                         .text = "failed trials: numbers, STUDY/17, 3-7; with --failed the name of a study",
                         .kind = Kind::target,
                         .least = 0,
                         .most = -1}},
          .options = retry_options(),
          .examples = {{"dlrun retry --failed", "all of the study started last"},
                       {"dlrun retry --failed first -w 2", "all of another"}},
          .run = run_retry};
}

}  // namespace dlrun::cli
