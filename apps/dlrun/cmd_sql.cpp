// SPDX-License-Identifier: Apache-2.0
// dlrun sql [STUDY...]: a shell for SQL.
#include <unistd.h>

#include <filesystem>

#include "arguments.hpp"
#include "output/terminal.hpp"
#include "report/readable.hpp"
#include "sql_shell.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr double kSeconds = 60;  // a person can cancel

struct Asked {
  std::filesystem::path store;
  std::vector<std::string> words;
};

/// A folder that is a store stands for all of its studies.
Asked asked_of(const Arguments& arguments) {
  std::error_code none;
  const std::vector<std::string>& words = arguments.words();
  if (words.size() == 1 && std::filesystem::is_directory(std::filesystem::path(words[0]) / "studies", none))
    return {std::filesystem::canonical(words[0]), {"all"}};
  return {arguments.store(), words};
}

int run_sql_shell(const Arguments& arguments, Console& console) {
  const Asked asked = asked_of(arguments);
  const report::Readable readable = report::find_readable(asked.store, asked.words);
  SqlShell shell(asked.store, readable.studies, arguments.seconds("timeout", kSeconds), console);
  const bool is_typed = is_terminal(STDIN_FILENO);
  for (const Error& fault : readable.faults) {
    if (is_typed) console.warn(fault.what());  // at its end the shell says it again
  }
  const int code = is_typed ? talk(shell, console) : run_script(shell);
  report::require_none(readable.faults);
  return code;
}

}  // namespace

Verb sql_verb() {
  return {
      .name = "sql",
      .summary = "ask in SQL, one statement after the other",
      .text =
          "A shell over the tables of `dlrun report --sql`, read-only, while the study runs or later. Statements end "
          "with a semicolon and may have many lines. Tab completes tables, columns, functions and keywords; "
          "the arrow keys bring earlier statements back, Ctrl-R searches them. Ctrl-C drops a statement or ends a "
          "query, "
          "Ctrl-D ends. Commands begin with a point: .tables, .schema TABLE, .format text|json|csv|markdown, .help, "
          ".quit. From a file or pipe it carries out what it reads, without prompts; the first fault ends it, with 2.",
      .arguments = {{.name = "STUDY",
                     .text = "names, all, or the folder of a store (default: the study started last)",
                     .kind = Kind::study,
                     .least = 0,
                     .most = -1}},
      .options = {{.name = "timeout", .value = "SECONDS", .text = "stop a query after this time (default: 60)"},
                  format_option(),
                  store_option()},
      .examples = {{"dlrun sql digits", "begin to ask"},
                   {"dlrun sql all --format csv < questions.sql > answers.csv", "as a script"}},
      .run = run_sql_shell};
}

}  // namespace dlrun::cli
