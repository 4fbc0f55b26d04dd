// SPDX-License-Identifier: Apache-2.0
// dlrun note TARGET [TEXT...]: what a person wants to remember of a study or a trial.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arguments.hpp"
#include "output/console.hpp"
#include "report/report.hpp"
#include "report/selectors.hpp"
#include "steer.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr std::size_t kLongest = 10'000;  // bytes of a note

std::string where(const report::Target& target) {
  return target.trial ? fmt::format("where trial = {}", *target.trial) : std::string();
}

int run_note(const Arguments& arguments, Console& console) {
  const std::vector<std::string>& words = arguments.words();
  const report::Target target = report::find_target(arguments.store(), words[0]);
  if (words.size() == 1) {
    console.print(report::sql(arguments.store(), {target.study},
                              fmt::format("select time, trial, text from notes {} order by time", where(target)),
                              report::kOwnSql));
    return 0;
  }
  const std::string text = fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "));
  if (text.find_first_not_of(' ') == std::string::npos) throw Error(ErrorKind::usage, "the note is empty");
  if (text.size() > kLongest) throw Error(ErrorKind::usage, "a note may have 10,000 bytes");
  std::optional<trial::TrialId> id;
  if (target.trial) id = trial::TrialId(*target.trial);
  Json request = {{"command", "note"}, {"text", text}};
  if (target.trial) request["trial"] = *target.trial;
  steer(arguments.store(), target.study, request, [&](storage::Store& open) { open.note(id, text); });
  return 0;
}

}  // namespace

Verb note_verb() {
  return {.name = "note",
          .summary = "add a note to a study or a trial, or list them",
          .arguments = {{.name = "TARGET", .text = "a study, STUDY/17 or a trial's number", .kind = Kind::target},
                        {.name = "TEXT", .text = "the note; without it the notes are listed", .least = 0, .most = -1}},
          .options = {format_option(), store_option()},
          .examples = {{"dlrun note first/3 'the first one to converge'", "add one"}, {"dlrun note first", "list all"}},
          .run = run_note};
}

}  // namespace dlrun::cli
