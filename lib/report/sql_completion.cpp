// SPDX-License-Identifier: Apache-2.0
// Words that may end what was typed.
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <set>

#include "report/opened.hpp"
#include "report/sandbox.hpp"
#include "report/sql_functions.hpp"
#include "report/sql_text.hpp"

namespace dlrun::report {

namespace {

using Names = std::vector<std::string>;

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

std::string in_small(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return out;
}

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::toupper(c)); });
  return text;
}

bool has_capital(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isupper(c) != 0; });
}

/// Functions of one connection; what is no name, as the operator ->, is left out.
Names functions_of(sqlite3* handle) {
  std::set<std::string> names;
  sqlite3_stmt* made = nullptr;
  sqlite3_prepare_v2(handle, "SELECT DISTINCT lower(name) FROM pragma_function_list", -1, &made, nullptr);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> rows(made, sqlite3_finalize);
  while (made != nullptr && sqlite3_step(made) == SQLITE_ROW) {
    const std::string name = reinterpret_cast<const char*>(sqlite3_column_text(made, 0));
    if (std::all_of(name.begin(), name.end(), is_of_name)) names.insert(name);
  }
  return {names.begin(), names.end()};
}

Names functions() {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open(":memory:", &opened);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, sqlite3_close);
  if (code != SQLITE_OK) return {};
  add_functions(opened);
  return functions_of(opened);
}

Names keywords() {
  Names out;
  for (int i = 0; i < sqlite3_keyword_count(); ++i) {
    const char* word = nullptr;
    int length = 0;
    if (sqlite3_keyword_name(i, &word, &length) == SQLITE_OK) out.push_back(in_small({word, std::size_t(length)}));
  }
  return out;
}

/// The words of a text in small letters.
Names names_in(std::string_view text) {
  Names out(1);
  for (const char c : text) {
    if (is_of_name(c)) {
      out.back() += char(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

void add_columns(const SqlWords& words, const Names& tables, std::set<std::string>& found) {
  for (const auto& [name, columns] : words.tables) {
    if (tables.empty() || std::find(tables.begin(), tables.end(), name) != tables.end())
      found.insert(columns.begin(), columns.end());
  }
}

Names named_tables(const SqlWords& words, const Names& typed) {
  Names out;
  for (const auto& [name, columns] : words.tables) {
    if (std::find(typed.begin(), typed.end(), name) != typed.end()) out.push_back(name);
  }
  return out;
}

/// Words that could stand there, whatever they begin with.
std::set<std::string> possible(const SqlWords& words, std::string_view before, std::string_view word) {
  std::set<std::string> found;
  const std::string_view rest = before.substr(0, before.size() - word.size());
  const Names typed = names_in(rest);
  const Names tables = named_tables(words, typed);
  if (!rest.empty() && rest.back() == '.') {
    const bool is_table = !typed.empty() && std::find(tables.begin(), tables.end(), typed.back()) != tables.end();
    add_columns(words, is_table ? Names{typed.back()} : tables, found);
    return found;
  }
  const bool asks_table = !typed.empty() && (typed.back() == "from" || typed.back() == "join");
  for (const auto& [name, columns] : words.tables) found.insert(name);
  if (asks_table) return found;
  if (word.empty()) return {};
  add_columns(words, tables, found);
  for (const std::string& name : words.functions) found.insert(name + "(");
  for (const std::string& name : words.keywords) found.insert(has_capital(word) ? in_capitals(name) : name);
  return found;
}

}  // namespace

SqlWords sql_words(const std::filesystem::path& store, const Names& studies) {
  return {Sandbox(store, chosen(store, studies), {}).tables(), functions(), keywords()};
}

std::string_view last_word(std::string_view before) {
  std::size_t from = before.size();
  while (from > 0 && is_of_name(before[from - 1])) --from;
  return before.substr(from);
}

Names sql_completions(const SqlWords& words, std::string_view before) {
  const std::string_view word = last_word(before);
  const std::string small = in_small(word);
  Names out;
  for (const std::string& one : possible(words, before, word)) {
    if (in_small(one).starts_with(small)) out.push_back(one);
  }
  if (out.size() == 1 && out[0] == word) out.clear();  // there is no more to add
  return out;
}

}  // namespace dlrun::report
