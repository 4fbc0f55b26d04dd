// SPDX-License-Identifier: Apache-2.0
// dlrun ablate STUDY.yaml [ABLATION.yaml]: what each part contributes.
#include "running.hpp"
#include "study_source.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run(const Arguments& arguments, Console& console) {
  return run_study(read_ablation(arguments, console), arguments, console);
}

std::vector<Option> options() {
  std::vector<Option> all = running_options();
  for (Option& option : study_options()) all.push_back(std::move(option));
  return all;
}

}  // namespace

Verb ablate_verb() {
  return {.name = "ablate",
          .summary = "train a model without its parts, to see what each contributes",
          .text =
              "Trains the baseline and every variant that `ablation:` names, each with the same seeds, replicate by "
              "replicate. The section stands in the study's file, or in a second one that is laid over it; the study "
              "is then called NAME-ablation unless that file says `study:`. `dlrun check` with the same files shows "
              "every variant before anything trains.",
          .arguments = {{.name = "STUDY.yaml", .text = "the study whose parts are left out", .kind = Kind::file},
                        {.name = "ABLATION.yaml", .text = "its `ablation:`", .kind = Kind::file, .least = 0}},
          .options = options(),
          .examples = {{"dlrun ablate study.yaml ablation.yaml", "on all cores"},
                       {"dlrun check study.yaml ablation.yaml", "the variants, and what they cost"}},
          .run = run};
}

}  // namespace dlrun::cli
