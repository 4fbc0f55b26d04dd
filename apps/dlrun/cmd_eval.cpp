// SPDX-License-Identifier: Apache-2.0
// dlrun eval TRIAL --data FILE | --split SPLIT: what a trained trial is worth on other data.
#include <fmt/format.h>

#include <sstream>

#include "output/console.hpp"
#include "report/report.hpp"
#include "trained.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

void check_eval(const Arguments& arguments) {
  if (arguments.has("data") == arguments.has("split"))
    throw Error(ErrorKind::usage, "'eval' needs either --data or --split",
                "--data FILE measures new examples, --split val the trial's own");
  if (arguments.has("split") && arguments.has("unseen"))
    throw Error(ErrorKind::usage, "--unseen belongs to --data: the trial's own splits are read as they were");
}

/// The test split is looked at once, for the trial a study ends with. To measure that again tells nothing new.
void require_tested(const Arguments& arguments, const Trained& trained) {
  const report::Table tested = report::sql(
      arguments.store(), {trained.trial.study},
      fmt::format("select max(step) from metrics where trial = {} and metric like 'test.%'", trained.trial.number),
      report::kOwnSql);
  const bool is_tested = !tested.rows.empty() && tested.rows[0][0] == trained.from.step;
  if (is_tested) return;
  throw Error(ErrorKind::usage, fmt::format("the test split was not measured for {}", trained.name()),
              "it is looked at once, for the best trial of a study that ended: who chooses by it has no test any more");
}

report::Table table_of(const std::string& title, const trial::Use& use) {
  report::Table table{.title = title, .columns = {"metric", "value"}, .rows = {{"examples", use.examples}}};
  for (const trial::Metric& metric : use.metrics) table.rows.push_back({metric.name, metric.value});
  return table;
}

/// Names from every --metrics, which may have several between commas.
std::vector<std::string> metrics_of(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const std::string& list : arguments.list("metrics")) {
    std::istringstream words(list);
    for (std::string name; std::getline(words, name, ',');) names.push_back(name);
  }
  return names;
}

int run_eval(const Arguments& arguments, Console& console) {
  check_eval(arguments);
  const Trained trained = find_trained(arguments);
  trial::UseOptions eval_options{.split = arguments.text("split"), .metrics = metrics_of(arguments)};
  if (eval_options.split == "test") require_tested(arguments, trained);
  if (eval_options.split.empty()) eval_options.files = new_files(arguments, trained);
  if (arguments.text("unseen") == "zero") eval_options.unseen = "zero";
  const trial::Use measured = use(arguments, trained, eval_options);
  const std::string on = eval_options.split.empty() ? "new data" : "split " + eval_options.split;
  console.print(table_of(fmt::format("{} on {}", trained.name(), on), measured));
  for (const std::string& name : measured.undefined)
    console.warn(fmt::format("{} is not defined: the examples are too few, or of too few classes", name));
  return 0;
}

std::vector<Option> eval_options() {
  std::vector<Option> all = trained_options();
  all.push_back({.name = "split",
                 .value = "SPLIT",
                 .text = "the trial's own examples instead; test only where the study measured it",
                 .choices = {"train", "val", "test"}});
  all.push_back({.name = "metrics",
                 .value = "NAMES",
                 .text = "more than the study's, f1,log_loss; of several outputs OUTPUT.NAME",
                 .repeats = true});
  all.push_back(format_option());
  return all;
}

}  // namespace

Verb eval_verb() {
  return {.name = "eval",
          .summary = "measure a trained trial on other data",
          .text =
              "Loss and metrics of a trial's checkpoint on new examples, prepared by what was measured on its training "
              "split: the same mean and deviation, the same categories. The training data has to be where it was, "
              "unchanged. On --split val the trial's own figures come out, bit for bit.",
          .arguments = {trained_argument()},
          .options = eval_options(),
          .examples = {{"dlrun eval digits --data new.csv", "the best trial of a study on a table with its columns"},
                       {"dlrun eval digits/17 --split val --metrics f1 --format json", "another metric"}},
          .run = run_eval};
}

}  // namespace dlrun::cli
