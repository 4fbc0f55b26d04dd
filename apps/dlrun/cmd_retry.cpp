// SPDX-License-Identifier: Apache-2.0
// dlrun retry --failed [STUDY] | TRIAL...
#include <fmt/format.h>

#include "arguments.hpp"
#include "going_on.hpp"
#include "output/console.hpp"
#include "report/selectors.hpp"
#include "report/trials.hpp"
#include "running.hpp"
#include "steer.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

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

/// @return whether a driver took it
bool ask(const std::filesystem::path& store, const std::string& study, std::int64_t number) {
  const trial::TrialId id(number);
  return steer(store, study, {{"command", "retry"}, {"trial", number}},
               [&](storage::Store& open) { open.add(study::RetryAsked{id}); })
      .is_running;
}

int run_retry(const Arguments& arguments, Console& console) {
  const report::Trials trials = chosen(arguments);
  if (trials.numbers.empty()) {
    console.note(fmt::format("{} has no failed trials", trials.study));
    return 0;
  }
  bool is_running = false;
  for (const std::int64_t number : trials.numbers) is_running = ask(arguments.store(), trials.study, number);
  console.note(fmt::format("{} trial{} of {} will be tried again", trials.numbers.size(),
                           trials.numbers.size() == 1 ? "" : "s", trials.study));
  if (is_running) return 0;
  const storage::StudyRow row = storage::Store::find(arguments.store(), trials.study).value();
  const spec::StudySpec spec = spec::from_json(row.spec, row.spec_text);
  if (spec.kind == "asked") {
    console.note(fmt::format("dlrun ask {} gives them out again", trials.study));
    return 0;
  }
  return go_on_with(spec, arguments, console);
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
