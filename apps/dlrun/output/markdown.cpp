// SPDX-License-Identifier: Apache-2.0
// Tables for READMEs and pull requests.
#include <fmt/format.h>

#include <algorithm>

#include "output.hpp"
#include "text_form.hpp"
#include "text_width.hpp"
#include "util/number_text.hpp"

namespace dlrun::cli {

namespace {

/// A paragraph, and then the items of a list.
std::string sentences(const report::Table& table) {
  std::string out;
  for (const auto& row : table.rows) {
    const bool is_first = &row == &table.rows.front();
    out += (is_first ? "" : "- ") + in_markdown(visible(row.back().get<std::string>())) + "\n";
    if (is_first && table.rows.size() > 1) out += "\n";
  }
  return out;
}

std::string markdown_table(const report::Table& table) {
  std::string out = table.title.empty() ? "" : fmt::format("**{}**\n\n", in_markdown(visible(table.title)));
  if (is_paragraph(table)) return out + in_markdown(visible(table.rows[0][0].get<std::string>())) + "\n";
  if (table.shape == report::Shape::sentences) return out + sentences(table);
  std::string rule = "|";
  std::vector<std::vector<std::string>> columns;
  out += "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::vector<const Json*> cells;
    for (const auto& row : table.rows) cells.push_back(&row[i]);
    const bool numbers = std::any_of(cells.begin(), cells.end(), [](const Json* cell) { return cell->is_number(); });
    columns.push_back(column_text(cells));
    out += fmt::format(" {} |", in_markdown(visible(table.columns[i])));
    rule += numbers ? " ---: |" : " --- |";
  }
  out += "\n" + rule + "\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    out += "|";
    for (const auto& column : columns) out += fmt::format(" {} |", in_markdown(column[row]));
    out += "\n";
  }
  return out;
}

}  // namespace

std::string in_markdown(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '<' || c == '>' || c == '`' || c == '*' || c == '_') out += '\\';
    out += c;
  }
  return out;
}

std::string MarkdownOutput::text(const std::vector<report::Table>& tables) const {
  std::string out;
  for (const report::Table& table : tables) {
    if (!out.empty()) out += "\n";
    out += markdown_table(table);
  }
  return out;
}

}  // namespace dlrun::cli
