// SPDX-License-Identifier: Apache-2.0
// dlrun show TRIAL: all that is known of one trial, or its configuration as a study of its own.
#include "arguments.hpp"
#include "final/trial_study.hpp"
#include "output/console.hpp"
#include "report/report.hpp"
#include "report/selectors.hpp"
#include "report/trial_reader.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run_show(const Arguments& arguments, Console& console) {
  if (arguments.has("yaml") && arguments.has("format"))
    throw Error(ErrorKind::usage, "--yaml prints YAML, and --format says another form", "leave one of the two out");
  const report::OneTrial trial = report::find_trial(arguments.store(), arguments.words()[0]);
  if (arguments.has("yaml")) {
    console.data(final::trial_study(arguments.store(), trial.study, trial.number));
  } else {
    const report::TrialReader reader(arguments.store(), trial);
    std::vector<report::Table> tables = {reader.facts()};
    for (report::Table& table : reader.details()) {
      if (!table.rows.empty()) tables.push_back(std::move(table));
    }
    console.print(tables);
  }
  return 0;
}

}  // namespace

Verb show_verb() {
  return {
      .name = "show",
      .summary = "print all that is known of a trial",
      .text =
          "With --yaml: its configuration as a study with a single trial, ready for `dlrun tune`, which measures "
          "the same values again. A trial that began with another one's checkpoint is repeated by `dlrun reproduce` "
          "alone.",
      .arguments = {{.name = "TRIAL", .text = "a number, STUDY/17, last or best", .kind = Kind::trial}},
      .options = {{.name = "yaml", .text = "print a runnable study instead"}, format_option(), store_option()},
      .examples = {{"dlrun show best", "the best trial of the study started last"},
                   {"dlrun show first/3 --yaml > trial.yaml", "then: dlrun tune trial.yaml"}},
      .run = run_show};
}

}  // namespace dlrun::cli
