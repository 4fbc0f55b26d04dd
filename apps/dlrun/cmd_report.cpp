// SPDX-License-Identifier: Apache-2.0
// dlrun report [STUDY...]: tables from the store, or any question in SQL.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "arguments.hpp"
#include "exchange/csv_text.hpp"
#include "html_report.hpp"
#include "output/console.hpp"
#include "pictures.hpp"
#include "report/answer_picture.hpp"
#include "report/readable.hpp"
#include "report/report.hpp"
#include "report_queries.hpp"
#include "report_question.hpp"
#include "report_sections.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr std::size_t kMaxStatement = 100'000;  // bytes of a file with SQL
const std::vector<std::string> kSections = {"status",     "best",       "winner", "progress",
                                            "parameters", "importance", "cost",   "divergences"};

std::string read_input() {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, std::size_t(got));
    if (text.size() > kMaxStatement)
      throw Error(ErrorKind::usage, fmt::format("the statement is longer than {} bytes", kMaxStatement));
  }
  return text;
}

std::string statement(const Arguments& arguments) {
  if (arguments.has("sql")) return arguments.text("sql");
  if (arguments.has("query")) return query_named(arguments.text("query"));
  const std::string file = arguments.text("sql-file");
  return file == "-" ? read_input() : read_file(file, kMaxStatement);
}

std::vector<std::string> all_sections(const report::Reader& reader) {
  std::vector<std::string> all = kSections;
  if (reader.has_several()) all.emplace_back("pareto");
  if (reader.has_ranks()) all.emplace_back("ranks");
  if (reader.has_findings()) all.insert(all.begin(), "findings");
  if (reader.is_ablation()) all.emplace_back("ablation");
  if (reader.is_final()) all.emplace_back("final");
  return all;
}

/// `all` stands for every section that the study has; names beside it are added if they are none of those.
std::vector<std::string> with_all(const std::vector<std::string>& names, const report::Reader& reader) {
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (!has(names, "all")) return names;
  std::vector<std::string> sections = all_sections(reader);
  for (const std::string& name : names) {
    if (name != "all" && !has(sections, name)) sections.push_back(name);
  }
  return sections;
}

std::vector<std::string> sections_of(const Arguments& arguments, const report::Reader& reader) {
  std::vector<std::string> sections = arguments.list("section");
  if (arguments.has("trials")) sections.emplace_back("trials");
  if (sections.empty()) sections = {arguments.has("top") || !reader.has_findings() ? "best" : "findings"};
  sections = with_all(sections, reader);
  require_followed(
      sections, [&](const std::string& wish) { return arguments.has(wish); }, "--");
  return sections;
}

/// @return what the report says of its pictures
std::string draw_plots(const report::Reader& reader, const std::string& folder, Console& console) {
  std::vector<plot::Picture> pictures;
  for (report::NamedPicture& one : reader.pictures()) pictures.push_back(std::move(one.picture));
  if (pictures.empty()) {
    console.warn("there is nothing to draw yet");
    return {};
  }
  std::string text = draw(pictures, folder, console.format());
  console.note(fmt::format("{} pictures are in '{}'", pictures.size(), folder));
  return text;
}

/// Name of an answer's picture: that of the file with the question.
std::string answer_name(const Arguments& arguments) {
  if (arguments.has("query")) return arguments.text("query");
  const std::string name = std::filesystem::path(arguments.text("sql-file")).stem();
  return name.empty() || name == "-" ? "answer" : name;
}

/// Format by the ending of the file, where --format names none.
const std::map<std::string, std::string> kEndings = {{".csv", "csv"},   {".json", "json"},       {".md", "markdown"},
                                                     {".tex", "latex"}, {".parquet", "parquet"}, {".txt", "table"}};

[[noreturn]] void refuse_ending(const std::string& file, const std::string& ending) {
  std::vector<std::string> known;
  for (const auto& [one, format] : kEndings) known.push_back(fmt::format("{} ({})", one, format));
  throw Error(ErrorKind::usage, fmt::format("'{}': the ending '{}' names no format", file, ending),
              fmt::format("there are {}; or --format says it", fmt::join(known, ", ")));
}

/// Chooses the format of the answer's file.
void look_at_output(const Arguments& arguments, Console& console) {
  if (!arguments.has("output") || arguments.text("output") == "-") return;
  console.use_no_page();
  const std::string file = arguments.text("output"), ending = std::filesystem::path(file).extension();
  if (arguments.has("format") || ending.empty()) return;
  const auto known = kEndings.find(ending);
  if (known == kEndings.end()) refuse_ending(file, ending);
  console.use_format(known->second);
}

/// Tables for a file that a spreadsheet opens, which would compute some texts.
std::vector<report::Table> without_formulas(std::vector<report::Table> tables) {
  for (report::Table& table : tables) {
    for (std::string& name : table.columns) name = exchange::without_formula(name);
    for (auto& row : table.rows) {
      for (Json& cell : row) {
        if (cell.is_string()) cell = exchange::without_formula(cell.get<std::string>());
      }
    }
  }
  return tables;
}

/// Prints the answer, or writes it where -o says.
/// @param more  text after the tables
void give(const Arguments& arguments, const std::vector<report::Table>& tables, const std::string& more,
          Console& console) {
  const std::string file = arguments.text("output", "-");
  const bool is_for_spreadsheet = file != "-" && console.format() == "csv";
  write_or_print(file, console.text_of(is_for_spreadsheet ? without_formulas(tables) : tables) + more, console);
}

int run_sql(const Arguments& arguments, const std::vector<std::string>& studies, Console& console) {
  const report::Table answer =
      report::sql_apart(arguments.store(), studies, statement(arguments),
                        {.seconds = arguments.seconds("timeout", report::SqlOptions{}.seconds)});
  std::string shown;
  if (arguments.has("plots"))
    shown = draw({report::picture_of(answer, answer_name(arguments))}, arguments.text("plots"), console.format());
  give(arguments, {answer}, shown, console);
  return 0;
}

int run_sections(const Arguments& arguments, const std::vector<std::string>& studies, Console& console) {
  const Wishes wishes{int(arguments.number("top", 10, 1)), arguments.text("method", "fanova"), audience_of(console),
                      arguments.text("objective")};
  const report::Reader reader(arguments.store(), studies);
  const std::vector<std::string> sections = sections_of(arguments, reader);
  std::vector<report::Table> tables;
  for (const std::string& name : sections) {
    for (report::Table& table : section(reader, name, wishes)) tables.push_back(std::move(table));
  }
  const std::string pictures = arguments.has("plots") ? draw_plots(reader, arguments.text("plots"), console) : "";
  give(arguments, tables, pictures, console);
  return 0;
}

int answer(ReportQuestion question, const Arguments& arguments, const std::vector<std::string>& studies,
           Console& console) {
  switch (question) {
    case ReportQuestion::tables:
      give(arguments, {report::sql_tables(arguments.store(), studies)}, "", console);
      return 0;
    case ReportQuestion::page: return write_html(arguments, studies, console);
    case ReportQuestion::sql: return run_sql(arguments, studies, console);
    case ReportQuestion::sections:
    case ReportQuestion::queries: break;
  }
  return run_sections(arguments, studies, console);
}

int run_report(const Arguments& arguments, Console& console) {
  const ReportQuestion question = report_question_of(arguments);
  look_at_output(arguments, console);
  if (question == ReportQuestion::queries) {
    give(arguments, {queries_table()}, "", console);
    return 0;
  }
  const report::Readable readable = report::find_readable(arguments.store(), arguments.words());
  const int code = answer(question, arguments, readable.studies, console);
  report::require_none(readable.faults);
  return code;
}

Option report_format() {
  Option option = format_option();
  option.text = "table (default), json, csv, markdown, latex (booktabs) or parquet (of one table, by pyarrow)";
  option.choices.emplace_back("latex");
  option.choices.emplace_back("parquet");
  return option;
}

}  // namespace

Verb report_verb() {
  return {
      .name = "report",
      .summary = "print what a study found",
      .text =
          "Sections: best (the best trials with their parameters), winner (the best one's value without the luck of "
          "having been chosen, "
          "and what that rests on), progress, parameters, status, pareto (of "
          "several objectives: the front and its hypervolume), "
          "findings (of an ablation: a sentence for each, and the contributions), importance (which parameters the "
          "objective depends on; --method says how that is found: fanova for shares "
          "of its variance, ped_anova for what the best trials have in common, shapley for how far predictions move), "
          "ablation (what each component contributes, how sure that is, and the methods in a paragraph), final (a "
          "final training beside its rivals), cost (what was spent, and what did not have to be trained "
          "again), ranks (time, traffic and staleness of trials whose ranks train together), or all. --plots draws "
          "every "
          "picture that the study has data for (`dlrun plot` draws one). --sql "
          "asks anything, read-only, and --plots draws its columns as x, y, line and panel: its tables are trials, "
          "params, metrics, attempts, artifacts, decisions, "
          "events and more; docs/store.md has their columns. It can be asked while the study runs.",
      .arguments = {{.name = "STUDY",
                     .text = "names, or all (default: the study started last)",
                     .kind = Kind::study,
                     .least = 0,
                     .most = -1}},
      .options =
          {{.name = "section",
            .value = "NAME",
            .text = "best (default), winner, findings (default of an ablation), progress, parameters, pareto, status, "
                    "importance, ablation, final, cost, ranks, divergences or all; may be repeated",
            .choices = {"best", "trials", "winner", "findings", "progress", "parameters", "pareto", "status",
                        "importance", "ablation", "final", "cost", "ranks", "divergences", "all"},
            .repeats = true,
            .letter = 's'},
           {.name = "trials", .text = "all trials with parameters and last metrics, pruned ones too: --section trials"},
           {.name = "top", .value = "N", .text = "how many trials `best` shows (default: 10)", .letter = 'n'},
           {.name = "method",
            .value = "NAME",
            .text = "how importances are found: fanova (default), ped_anova or shapley",
            .choices = {"fanova", "ped_anova", "shapley"}},
           {.name = "objective",
            .value = "NAME",
            .text = "the objective that importances are for, or all (default: the first)"},
           {.name = "html",
            .value = "FILE",
            .text = "write everything as one page that opens offline in a browser; - is standard output",
            .kind = Kind::file,
            .writes = true},
           {.name = "plots",
            .value = "DIR",
            .text = "draw all pictures of the study, or the answer of --sql, into this folder; Markdown and LaTeX show "
                    "them",
            .kind = Kind::folder,
            .writes = true},
           {.name = "sql", .value = "SELECT", .text = "one statement in SQLite's SQL"},
           {.name = "sql-file",
            .value = "FILE",
            .text = "the same from a file; - is standard input",
            .kind = Kind::file},
           {.name = "query", .value = "NAME", .text = "the same from configs/reports/NAME.sql; --list has the names"},
           {.name = "list", .text = "print the named queries"},
           {.name = "sql-tables", .text = "print the tables of --sql with their columns"},
           {.name = "timeout",
            .value = "SECONDS",
            .text = "with --sql and --query: stop the query after this time (default: 0.5)"},
           output_option(
               "write there instead of to standard output; .csv, .json, .md, .tex, .parquet and .txt say the format"),
           report_format(),
           store_option()},
      .examples = {{"dlrun report", "the best trials of the study started last"},
                   {"dlrun report first --section all", "everything there is"},
                   {"dlrun report --section importance", "which parameters matter, and how sure that is"},
                   {"dlrun report --sql 'select state, count(*) from trials group by state' --format csv",
                    "any question"},
                   {"dlrun report --trials -o trials.csv", "all trials, for a spreadsheet"}},
      .run = run_report};
}

}  // namespace dlrun::cli
