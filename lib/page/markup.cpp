// SPDX-License-Identifier: Apache-2.0
#include "page/markup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "util/number_text.hpp"
#include "util/utf8.hpp"
#include "util/visible.hpp"

namespace dlrun::page {

namespace {

std::string entities(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::vector<const Json*> column_of(const report::Table& table, std::size_t column) {
  std::vector<const Json*> cells;
  for (const auto& row : table.rows) cells.push_back(&row[column]);
  return cells;
}

/// Numbers and gaps only.
bool is_numeric(const std::vector<const Json*>& cells) {
  const auto is = [&](auto wanted) { return std::any_of(cells.begin(), cells.end(), wanted); };
  return is([](const Json* cell) { return cell->is_number(); }) &&
         !is([](const Json* cell) { return !cell->is_number() && !cell->is_null(); });
}

std::string head(const report::Table& table) {
  std::string out = "<thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    out += is_numeric(column_of(table, i)) ? "<th scope=\"col\" class=\"number\">" : "<th scope=\"col\">";
    out += escaped(table.columns[i]) + "</th>";
  }
  return out + "</tr></thead>";
}

/// A cell; a long one shows its beginning, and the whole when it is opened.
std::string cell(const std::string& text, bool is_number) {
  constexpr std::size_t kMost = 400;
  const std::string begin = is_number ? "<td class=\"number\">" : "<td>";
  if (text.size() <= kMost) return begin + entities(text) + "</td>";
  return begin + "<details><summary>" + entities(beginning(text)) + "</summary>" + entities(text) + "</details></td>";
}

std::string body(const report::Table& table) {
  std::vector<std::vector<std::string>> texts;
  std::vector<bool> numeric;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::vector<const Json*> cells = column_of(table, i);
    texts.push_back(column_text(cells));
    numeric.push_back(is_numeric(cells));
  }
  std::string out = "<tbody>";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    out += "<tr>";
    for (std::size_t i = 0; i < texts.size(); ++i) out += cell(texts[i][row], numeric[i]);
    out += "</tr>\n";
  }
  return out + "</tbody>";
}

/// The last cell of each row: the first as a paragraph, the others as a list.
std::string sentences(const report::Table& table) {
  std::string out, items;
  for (const auto& row : table.rows) {
    const std::string text = prose(row.back().is_string() ? row.back().get<std::string>() : to_text(row.back()));
    if (&row == &table.rows.front())
      out += "<p>" + text + "</p>\n";
    else
      items += "<li>" + text + "</li>\n";
  }
  return items.empty() ? out : out + "<ul>\n" + items + "</ul>\n";
}

bool is_paragraph(const report::Table& table) {
  return table.columns.size() == 1 && table.rows.size() == 1 && table.rows[0][0].is_string();
}

}  // namespace

std::string escaped(std::string_view text) { return entities(visible(text)); }

std::string beginning(std::string_view text) {
  constexpr std::size_t kShown = 80;
  if (text.size() <= kShown) return std::string(text);
  std::size_t end = kShown;
  while (end > 0 && continues_character(text[end])) --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string escaped_lines(std::string_view text) { return entities(visible(text, true)); }

std::string prose(std::string_view text) {
  std::string out;
  bool is_code = false;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t tick = std::min(text.find('`', from), text.size());
    out += escaped(text.substr(from, tick - from));
    if (tick < text.size() || is_code) out += is_code ? "</code>" : "<code>";
    is_code = tick < text.size() && !is_code;
    from = tick + 1;
  }
  return out;
}

std::string table_html(const report::Table& table, const std::string& study) {
  const std::string title = table.title.empty() ? "" : "<p class=\"title\">" + escaped(table.title) + "</p>\n";
  if (table.rows.empty()) return title + "<p class=\"remark\">none</p>\n";
  if (table.shape == report::Shape::sentences || is_paragraph(table)) return title + sentences(table);
  const std::string name = escaped(table.title.empty() ? table.columns[0] : table.title);
  return fmt::format(
      "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"{}\"><table>{}{}{}</table></div>\n",
      study.empty() ? name : name + " of " + escaped(study),
      table.title.empty() ? "" : "<caption>" + name + "</caption>", head(table), body(table));
}

}  // namespace dlrun::page
