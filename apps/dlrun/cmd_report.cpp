// SPDX-License-Identifier: Apache-2.0
// dlrun report [STUDY...]: tables from the store, or any question in SQL.
#include <unistd.h>

#include <iterator>

#include "arguments.hpp"
#include "output/console.hpp"
#include "report/report.hpp"
#include "selectors.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr std::size_t kMaxStatement = 100'000;  // bytes of a file with SQL
const std::vector<std::string> kSections = {"status", "best", "progress", "parameters"};

std::string read_input() {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0 && text.size() < kMaxStatement;) {
    text.append(buffer, std::size_t(got));
  }
  return text;
}

std::string statement(const Arguments& arguments) {
  if (arguments.has("sql") && arguments.has("sql-file")) {
    throw Error(ErrorKind::usage, "--sql and --sql-file exclude one another");
  }
  if (arguments.has("sql")) return arguments.text("sql");
  const std::string file = arguments.text("sql-file");
  return file == "-" ? read_input() : read_file(file, kMaxStatement);
}

report::Table section(const report::Reader& reader, const std::string& name, int top) {
  if (name == "status") return reader.status();
  if (name == "progress") return reader.progress();
  if (name == "parameters") return reader.parameters();
  return reader.best(top);
}

int run(const Arguments& arguments, Console& console) {
  const std::vector<std::string> studies = find_studies(arguments.store(), arguments.words());
  const bool asks_sql = arguments.has("sql") || arguments.has("sql-file");
  if (asks_sql && (arguments.has("section") || arguments.has("top"))) {
    throw Error(ErrorKind::usage, "--sql takes neither --section nor --top", "write `limit 5` in the statement");
  }
  if (asks_sql) {
    console.print(report::sql(arguments.store(), studies, statement(arguments)));
    return 0;
  }
  const int top = int(arguments.number("top", 10, 1));
  std::vector<std::string> sections = arguments.list("section");
  if (sections.empty()) sections = {"best"};
  if (sections.size() == 1 && sections[0] == "all") sections = kSections;
  const report::Reader reader(arguments.store(), studies);
  std::vector<report::Table> tables;
  for (const std::string& name : sections) tables.push_back(section(reader, name, top));
  console.print(tables);
  return 0;
}

}  // namespace

Verb report_verb() {
  return {
      .name = "report",
      .summary = "print what a study found",
      .text =
          "Sections: best (the best trials with their parameters), progress, parameters, status, or all. --sql "
          "asks anything, read-only: its tables are trials, params, metrics, attempts, artifacts, decisions, "
          "events and more; docs/store.md has their columns. It can be asked while the study runs.",
      .arguments = {{.name = "STUDY",
                     .text = "names, or all (default: the study started last)",
                     .kind = Kind::study,
                     .least = 0,
                     .most = -1}},
      .options = {{.name = "section",
                   .value = "NAME",
                   .text = "best (default), progress, parameters, status or all; may be repeated",
                   .choices = {"best", "progress", "parameters", "status", "all"},
                   .repeats = true,
                   .letter = 's'},
                  {.name = "top", .value = "N", .text = "how many trials `best` shows (default: 10)", .letter = 'n'},
                  {.name = "sql", .value = "SELECT", .text = "one statement in SQLite's SQL"},
                  {.name = "sql-file",
                   .value = "FILE",
                   .text = "the same from a file; - is standard input",
                   .kind = Kind::file},
                  format_option(),
                  store_option()},
      .examples = {{"dlrun report", "the best trials of the study started last"},
                   {"dlrun report first --section all", "everything there is"},
                   {"dlrun report --sql 'select state, count(*) from trials group by state' --format csv",
                    "any question"}},
      .run = run};
}

}  // namespace dlrun::cli
