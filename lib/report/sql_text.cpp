// SPDX-License-Identifier: Apache-2.0
#include "report/sql_text.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>

namespace dlrun::report {

namespace {

constexpr std::size_t kShownWidth = 100;  ///< characters of a line that are shown beside a fault

/// Start of a further character of UTF-8?
bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::size_t characters(std::string_view text) {
  return std::size_t(std::count_if(text.begin(), text.end(), begins_character));
}

/// The last so many characters of a text.
std::string_view tail(std::string_view text, std::size_t count) {
  std::size_t from = text.size();
  while (from > 0 && count > 0) count -= begins_character(text[--from]) ? 1 : 0;
  return text.substr(from);
}

std::string_view head(std::string_view text, std::size_t count) {
  std::size_t to = 0;
  while (to < text.size() && (count > 0 || !begins_character(text[to]))) count -= begins_character(text[to++]) ? 1 : 0;
  return text.substr(0, to);
}

std::string without_tabs(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '\t', ' ');
  return out;
}

}  // namespace

std::optional<std::string> take_statement(std::string& text) {
  for (std::size_t end = text.find(';'); end != std::string::npos; end = text.find(';', end + 1)) {
    std::string first = text.substr(0, end + 1);
    if (sqlite3_complete(first.c_str()) == 0) continue;  // the semicolon is in a text or a comment
    text.erase(0, end + 1);
    return first;
  }
  return std::nullopt;
}

bool is_blank_statement(const std::string& text) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open(":memory:", &opened);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, sqlite3_close);
  const char* rest = text.c_str();
  while (code == SQLITE_OK && *rest != '\0') {
    sqlite3_stmt* statement = nullptr;
    const int fault = sqlite3_prepare_v2(opened, rest, -1, &statement, &rest);
    sqlite3_finalize(statement);
    if (fault != SQLITE_OK || statement != nullptr) return false;
  }
  return true;
}

std::string at_place(const std::string& words, std::string_view statement, int at, int first_line) {
  if (at < 0 || std::size_t(at) > statement.size()) return "sql: " + words;
  const std::string_view before = statement.substr(0, std::size_t(at));
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto line = first_line + std::count(before.begin(), before.end(), '\n');
  const std::string_view left = before.substr(begin), right = statement.substr(before.size());
  const std::string shown_left = without_tabs(tail(left, kShownWidth / 2));
  const std::string shown = shown_left + without_tabs(head(right.substr(0, right.find('\n')), kShownWidth / 2));
  const std::string number = fmt::format("{:>5} | ", line);
  return fmt::format("sql:{}:{}: {}\n{}{}\n{}^", line, characters(left) + 1, words, number, shown,
                     std::string(number.size() + characters(shown_left), ' '));
}

}  // namespace dlrun::report
