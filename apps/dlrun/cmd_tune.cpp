// SPDX-License-Identifier: Apache-2.0
// dlrun tune STUDY.yaml: the main job.
#include "racing.hpp"
#include "running.hpp"
#include "study_source.hpp"
#include "training_after.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run_tune(const Arguments& arguments, Console& console) {
  const spec::StudySpec spec = read_study(arguments.words()[0], arguments, console);
  int status = run_study(spec, arguments, console);
  if (status == 0) status = race_after_search(spec, arguments, console);
  return status == 0 ? train_after_search(spec, arguments, console) : status;
}

std::vector<Option> tune_options() {
  std::vector<Option> all = running_options();
  for (Option& option : study_options()) all.push_back(std::move(option));
  for (Option& option : amending_options()) all.push_back(std::move(option));
  return all;
}

}  // namespace

Verb tune_verb() {
  return {.name = "tune",
          .summary = "run a study: search for its best settings",
          .text =
              "Reads the study, starts workers, trains, and keeps every fact in the store. The same command again "
              "goes on where the study was left, or prints its results when it is finished. Ctrl-C saves and ends; "
              "twice: at once; both can be resumed.",
          .arguments = {{.name = "STUDY.yaml", .text = "the study file", .kind = Kind::file}},
          .options = tune_options(),
          .examples = {{"dlrun tune study.yaml", "run it on all cores"},
                       {"dlrun tune study.yaml --amend", "the file has changed: more trials, a wider domain, …"},
                       {"dlrun tune study.yaml --workers 2 --set limits.trials=8 --name small", "a small variant"}},
          .run = run_tune};
}

}  // namespace dlrun::cli
