// SPDX-License-Identifier: Apache-2.0
// dlrun resume [STUDY]: goes on with a study from what the store knows of it.
#include <filesystem>

#include "going_on.hpp"
#include "report/selectors.hpp"
#include "running.hpp"
#include "storage/store.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

std::vector<Option> resume_options() {
  std::vector<Option> all = running_options();
  all.push_back({.name = "take-over",
                 .text =
                     "where another driver holds the study: it is asked to end; if it does not, what it writes from "
                     "then on is refused"});
  return all;
}

int run_resume(const Arguments& arguments, Console& console) {
  const std::string name = report::find_study(arguments.store(), arguments.words().empty() ? "" : arguments.words()[0]);
  const storage::StudyRow row = storage::Store::find(arguments.store(), name).value();
  const spec::StudySpec spec = spec::from_json(row.spec, row.spec_text);
  return go_on_with(spec, arguments, console);
}

}  // namespace

Verb resume_verb() {
  return {.name = "resume",
          .summary = "go on with a study that was interrupted or stopped",
          .text =
              "The study is read from the store; its file is not needed. What was measured is not measured again. "
              "A search with `winner:` or `final:` goes on to its race and its final training.",
          .arguments =
              {{.name = "STUDY", .text = "its name (default: the one started last)", .kind = Kind::study, .least = 0}},
          .options = resume_options(),
          .examples = {{"dlrun resume", "the study started last"}, {"dlrun resume first --workers 4", "one by name"}},
          .run = run_resume};
}

}  // namespace dlrun::cli
