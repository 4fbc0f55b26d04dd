// SPDX-License-Identifier: Apache-2.0
// dlrun diff TRIAL TRIAL: settings that differ between two trials, and what both measured.
#include <fmt/format.h>

#include "arguments.hpp"
#include "output/console.hpp"
#include "report/selectors.hpp"
#include "report/trial_reader.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run_diff(const Arguments& arguments, Console& console) {
  const auto& words = arguments.words();
  const report::TrialReader first(arguments.store(), report::find_trial(arguments.store(), words[0]));
  const report::TrialReader second(arguments.store(), report::find_trial(arguments.store(), words[1]));
  if (first.name() == second.name())
    throw Error(ErrorKind::usage, fmt::format("'{}' and '{}' are the same trial", words[0], words[1]),
                "name two trials, e.g. dlrun diff best last");
  const std::vector<report::Table> tables = first.difference(second);
  if (tables[0].rows.empty()) console.note("the trials have the same settings");
  console.print(tables);
  return 0;
}

}  // namespace

Verb diff_verb() {
  return {.name = "diff",
          .summary = "print what differs between two trials",
          .text =
              "Settings that differ, with those that the search did not vary, then the facts of both trials and the "
              "last value of each metric. The trials may be of two studies of a store. The difference is the second "
              "less the first.",
          .arguments = {{.name = "TRIAL", .text = "a number, STUDY/17, last or best", .kind = Kind::trial},
                        {.name = "OTHER", .text = "the other trial", .kind = Kind::trial}},
          .options = {format_option(), store_option()},
          .examples = {{"dlrun diff best last", "within the study started last"},
                       {"dlrun diff first/best second/best", "the best trials of two studies"}},
          .run = run_diff};
}

}  // namespace dlrun::cli
