// SPDX-License-Identifier: Apache-2.0
// Tables for spreadsheets.
#include <fmt/format.h>

#include <cmath>

#include "output.hpp"
#include "text_width.hpp"

namespace dlrun::cli {

namespace {

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string cell_text(const Json& cell, const Page& page) {
  if (cell.is_null()) return {};
  const bool is_infinite = cell.is_number_float() && !std::isfinite(cell.get<double>());  // JSON has no such numbers
  if (is_infinite) return fmt::format("{}", cell.get<double>());
  const std::string text = cell.is_string() ? cell.get<std::string>() : to_text(cell);
  return page.is_terminal ? visible(text, true) : text;
}

template <class Cells, class Text>
std::string csv_line(const Cells& cells, Text text) {
  std::string out;
  for (const auto& cell : cells) {
    if (&cell != &*cells.begin()) out += ',';
    out += field(text(cell));
  }
  return out + "\n";
}

}  // namespace

std::string CsvOutput::text(const std::vector<report::Table>& tables) const {
  std::string out;
  for (const report::Table& table : tables) {
    if (&table != &tables.front()) out += "\n";
    out += csv_line(table.columns, [&](const std::string& name) { return cell_text(Json(name), page_); });
    for (const auto& row : table.rows) out += csv_line(row, [&](const Json& cell) { return cell_text(cell, page_); });
  }
  return out;
}

}  // namespace dlrun::cli
