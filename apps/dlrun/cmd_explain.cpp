// SPDX-License-Identifier: Apache-2.0
// dlrun explain TRIAL: why these values, and why it went on or stopped.
#include "arguments.hpp"
#include "output/console.hpp"
#include "report/selectors.hpp"
#include "report/trial_reader.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run_explain(const Arguments& arguments, Console& console) {
  const report::OneTrial trial = report::find_trial(arguments.store(), arguments.words()[0]);
  console.print(report::TrialReader(arguments.store(), trial).explanation());
  return 0;
}

}  // namespace

Verb explain_verb() {
  return {.name = "explain",
          .summary = "say why a trial has its values and why it stopped",
          .text =
              "Every decision about the trial with its reason, in the order they were taken, and the results at the "
              "rung of the last one that it was held against: those that were visible on the logical clock.",
          .arguments = {{.name = "TRIAL", .text = "a number, STUDY/17, last or best", .kind = Kind::trial}},
          .options = {format_option(), store_option()},
          .examples = {{"dlrun explain 17", "which rung, which rivals, which value"},
                       {"dlrun explain best --format json", "the same for a program"}},
          .run = run_explain};
}

}  // namespace dlrun::cli
