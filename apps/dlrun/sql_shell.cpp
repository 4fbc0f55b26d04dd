// SPDX-License-Identifier: Apache-2.0
#include "sql_shell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <utility>

#include "report/report.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

struct Command {
  const char* name;
  const char* value;  ///< in the help
  const char* text;
};

constexpr std::array<Command, 5> kCommands{{{".tables", "", "names of the tables"},
                                            {".schema", "TABLE", "its columns; without a name those of every table"},
                                            {".format", "NAME", "text, json, csv or markdown"},
                                            {".help", "", "this list"},
                                            {".quit", "", "ends, as Ctrl-D does"}}};

constexpr std::array<const char*, 4> kFormats{"text", "json", "csv", "markdown"};

std::vector<std::string> words_in(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (words.size() > 1 && words.back() == ";") words.pop_back();
  if (!words.empty() && words.back().size() > 1 && words.back().back() == ';') words.back().pop_back();
  return words;
}

std::string advice(const std::string& name, const std::vector<std::string>& known, const std::string& otherwise) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? otherwise : "did you mean '" + nearest + "'?";
}

[[noreturn]] void refuse_command(const std::string& name) {
  std::vector<std::string> known;
  for (const Command& command : kCommands) known.emplace_back(command.name);
  throw Error(ErrorKind::usage, fmt::format("there is no command '{}'", name),
              advice(name, known, "`.help` lists them"));
}

const Command& command_named(const std::string& name) {
  const auto found =
      std::find_if(kCommands.begin(), kCommands.end(), [&](const Command& command) { return command.name == name; });
  if (found == kCommands.end()) refuse_command(name);
  return *found;
}

void check_count(const Command& command, std::size_t words) {
  const std::string value = command.value;
  if (words > (value.empty() ? 1 : 2))
    throw Error(ErrorKind::usage, fmt::format("{} takes {}", command.name, value.empty() ? "no word" : "one word"));
}

report::Table help() {
  report::Table table{
      "commands; anything else is SQL, up to a semicolon", {"command", "does"}, {}, report::Shape::whole};
  for (const Command& one : kCommands)
    table.rows.push_back({fmt::format("{}{}{}", one.name, *one.value == '\0' ? "" : " ", one.value), one.text});
  return table;
}

}  // namespace

SqlShell::SqlShell(std::filesystem::path store, std::vector<std::string> studies, double seconds, Console& console)
    : store_(std::move(store)),
      studies_(std::move(studies)),
      seconds_(seconds),
      console_(console),
      words_(report::sql_words(store_, studies_)) {}

void SqlShell::ask(const std::string& statement, int first_line, const volatile std::sig_atomic_t* is_cancelled) {
  if (report::is_blank_statement(statement)) return;
  report::SqlOptions options{.seconds = seconds_};
  options.first_line = first_line;
  options.is_cancelled = is_cancelled;
  console_.print(report::sql_apart(store_, studies_, statement, options));
}

void SqlShell::describe(const std::string& table) {
  std::vector<std::string> known;
  for (const auto& [name, columns] : words_.tables) {
    known.push_back(name);
    if (name != table) continue;
    report::Table out{"columns of " + name, {"column"}, {}};
    for (const std::string& column : columns) out.rows.push_back({column});
    return console_.print(out);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no table '{}'", table),
              advice(table, known, "`.tables` lists them"));
}

void SqlShell::use_format(const std::string& name) {
  if (std::find(kFormats.begin(), kFormats.end(), name) == kFormats.end())
    throw Error(ErrorKind::usage, fmt::format("there is no format '{}'", name), "text, json, csv or markdown");
  console_.use_format(name == "text" ? "table" : name);
}

std::vector<std::string> SqlShell::completions(std::string_view before) const {
  if (!before.starts_with('.')) return report::sql_completions(words_, before);
  std::vector<std::string> all, out;
  if (before.find(' ') == std::string_view::npos) {
    for (const Command& command : kCommands) all.emplace_back(command.name + 1);
  } else if (before.starts_with(".format ")) {
    all.assign(kFormats.begin(), kFormats.end());
  } else if (before.starts_with(".schema ")) {
    for (const auto& [name, columns] : words_.tables) all.push_back(name);
  }
  const std::string_view word = report::last_word(before);
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [&](const std::string& one) { return one.starts_with(word); });
  std::sort(out.begin(), out.end());
  if (out.size() == 1 && out[0] == word) out.clear();  // there is no more to add
  return out;
}

void SqlShell::command(const std::string& line) {
  const std::vector<std::string> words = words_in(line);
  const std::string name = command_named(words.at(0)).name;
  check_count(command_named(name), words.size());
  if (name == ".quit") {
    is_over_ = true;
  } else if (name == ".help") {
    console_.print(help());
  } else if (name == ".format") {
    use_format(words.size() < 2 ? "" : words[1]);
  } else if (name == ".schema" && words.size() > 1) {
    describe(words[1]);
  } else if (name == ".schema") {
    console_.print(report::sql_tables(store_, studies_));
  } else {
    report::Table table{"tables", {"table"}, {}};
    for (const auto& [table_name, columns] : words_.tables) table.rows.push_back({table_name});
    console_.print(table);
  }
}

}  // namespace dlrun::cli
