// SPDX-License-Identifier: Apache-2.0
// Tables for people.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "output.hpp"
#include "text_width.hpp"
#include "text_wrap.hpp"
#include "util/number_text.hpp"

namespace dlrun::cli {

namespace {

constexpr std::size_t kGap = 2;         // spaces between columns
constexpr std::size_t kNarrowest = 12;  // a text column is not cut below this

using Lines = std::vector<std::string>;

struct Column {
  std::string name;
  std::vector<std::string> cells;
  bool is_number = false;
  std::size_t width = 0;
};

/// Times in seconds: to the millisecond where they are short.
std::vector<std::string> seconds_text(const std::vector<const Json*>& cells) {
  constexpr double kLong = 100;
  const bool is_long = std::any_of(cells.begin(), cells.end(),
                                   [](const Json* cell) { return cell->is_number() && cell->get<double>() >= kLong; });
  std::vector<std::string> texts;
  for (const Json* cell : cells) {
    texts.push_back(cell->is_number() ? fmt::format("{:.{}f}", cell->get<double>(), is_long ? 1 : 3) : "-");
  }
  return texts;
}

Column make_column(const report::Table& table, std::size_t index) {
  std::vector<const Json*> cells;
  bool numbers = false, others = false;
  for (const auto& row : table.rows) {
    cells.push_back(&row[index]);
    numbers = numbers || row[index].is_number();
    others = others || row[index].is_string() || row[index].is_boolean();
  }
  Column column{.name = visible(table.columns[index]), .is_number = numbers && !others};
  column.cells = column.name == "seconds" && !others ? seconds_text(cells) : column_text(cells);
  column.width = display_width(column.name);
  for (const std::string& cell : column.cells) column.width = std::max(column.width, display_width(cell));
  return column;
}

std::size_t total_width(const std::vector<Column>& columns) {
  std::size_t width = 0;
  for (const Column& column : columns) width += column.width + kGap;
  return width - std::min(width, kGap);
}

/// Makes the widest text columns narrower, until the page holds all or none can be narrower.
void narrow(std::vector<Column>& columns, std::size_t page) {
  while (total_width(columns) > page) {
    const auto widest = std::max_element(columns.begin(), columns.end(), [](const Column& a, const Column& b) {
      return (a.is_number ? 0 : a.width) < (b.is_number ? 0 : b.width);
    });
    if (widest->is_number || widest->width <= kNarrowest) break;
    const std::size_t excess = total_width(columns) - page;
    widest->width = std::max(kNarrowest, widest->width - std::min(excess, widest->width));
  }
}

/// Makes the columns fit: first the widest text columns are cut, then whole columns go, the last first.
/// @return names of the columns that went
std::vector<std::string> fit(std::vector<Column>& columns, std::size_t page) {
  if (page == 0) return {};
  narrow(columns, page);
  std::vector<std::string> gone;
  while (columns.size() > 1 && total_width(columns) > page) {
    gone.insert(gone.begin(), columns.back().name);
    columns.pop_back();
  }
  if (columns.size() == 1) columns[0].width = std::min(columns[0].width, page);
  return gone;
}

/// States of studies, trials and attempts in the colours of a traffic light.
std::string tinted(const std::string& cell, const std::string& padded, const Style& style) {
  if (cell == "completed" || cell == "finished" || cell == "ok") return style.green(padded);
  if (cell == "failed" || cell == "lost" || cell == "missing") return style.red(padded);
  if (cell == "running" || cell == "waiting" || cell == "paused") return style.cyan(padded);
  if (cell == "pruned" || cell == "stopped" || cell == "interrupted" || cell == "cancelled")
    return style.yellow(padded);
  return padded;
}

std::string padded(const std::string& cell, const Column& column, bool last) {
  const std::string text = cut(cell, column.width);
  const std::string space(column.width - std::min(column.width, display_width(text)), ' ');
  if (column.is_number) return space + text;
  return last ? text : text + space;
}

std::string text_line(const std::vector<Column>& columns, std::size_t row, const Style& style) {
  std::string out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& cell = columns[i].cells[row];
    if (i > 0) out.append(kGap, ' ');
    out += tinted(cell, padded(cell, columns[i], i + 1 == columns.size()), style);
  }
  return out + "\n";
}

std::string header(const std::vector<Column>& columns, const Style& style) {
  std::string out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out.append(kGap, ' ');
    out += padded(columns[i].name, columns[i], i + 1 == columns.size());
  }
  return style.bold(out) + "\n";
}

/// A single row that is too wide stands upright: a line for each column, or as many as a whole cell takes.
std::string upright(const std::vector<Column>& columns, const Page& page, bool is_whole) {
  std::size_t width = 0;
  for (const Column& column : columns) width = std::max(width, display_width(column.name));
  const std::size_t room = page.width - std::min(page.width, width + kGap);
  std::string out;
  for (const Column& column : columns) {
    std::string before = page.style.bold(column.name) + std::string(width - display_width(column.name) + kGap, ' ');
    for (const std::string& line : is_whole ? wrapped(column.cells[0], room) : Lines{cut(column.cells[0], room)}) {
      out += before + tinted(column.cells[0], line, page.style) + "\n";
      before = std::string(width + kGap, ' ');
    }
  }
  return out;
}

/// Columns that fit beside one another, and then the others, after the first one again.
std::vector<std::vector<Column>> in_groups(const std::vector<Column>& columns, std::size_t page) {
  constexpr std::size_t kReadable = 28;  // a text column is not narrowed below this to get another column in
  const auto least = [&](const Column& c) { return c.is_number ? c.width : std::min(c.width, kReadable); };
  std::vector<std::vector<Column>> groups{{columns[0]}};
  std::size_t used = least(columns[0]);
  for (std::size_t i = 1; i < columns.size(); ++i) {
    if (groups.back().size() > 1 && used + kGap + least(columns[i]) > page) {
      groups.push_back({columns[0]});
      used = least(columns[0]);
    }
    groups.back().push_back(columns[i]);
    used += kGap + least(columns[i]);
  }
  for (std::vector<Column>& group : groups) narrow(group, page);
  return groups;
}

/// A row whose cells wrap.
std::string whole_row(const std::vector<Column>& columns, std::size_t row, const Style& style) {
  std::vector<Lines> cells;
  std::size_t height = 1;
  for (const Column& column : columns) {
    cells.push_back(column.is_number ? Lines{column.cells[row]} : wrapped(column.cells[row], column.width));
    height = std::max(height, cells.back().size());
  }
  std::string out;
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string cell = line < cells[i].size() ? cells[i][line] : "";
      if (i > 0) text.append(kGap, ' ');
      text += tinted(columns[i].cells[row], padded(cell, columns[i], i + 1 == columns.size()), style);
    }
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string whole_table(const std::vector<Column>& columns, std::size_t rows, const Page& page) {
  std::string out;
  for (const std::vector<Column>& group : in_groups(columns, page.width)) {
    if (!out.empty()) out += "\n";
    out += header(group, page.style);
    for (std::size_t row = 0; row < rows; ++row) out += whole_row(group, row, page.style);
  }
  return out;
}

std::string paragraph(const std::string& text, const Page& page) {
  return fmt::format("{}\n", fmt::join(wrapped(text, page.width), "\n"));
}

/// A paragraph, and then the items of a list.
std::string sentences(const report::Table& table, const Page& page) {
  constexpr std::string_view kItem = "- ", kIndent = "\n  ";
  const std::size_t width = page.width == 0 ? 0 : std::max(page.width, kItem.size() + 1) - kItem.size();
  std::string out;
  for (const auto& row : table.rows) {
    const std::string text = visible(row.back().get<std::string>());
    const bool is_first = &row == &table.rows.front();
    out += is_first ? paragraph(text, page) : fmt::format("{}{}\n", kItem, fmt::join(wrapped(text, width), kIndent));
  }
  return out;
}

std::string text_table(const report::Table& table, const Page& page) {
  std::string out = table.title.empty() ? "" : page.style.bold(visible(table.title)) + "\n";
  if (is_paragraph(table)) return out + paragraph(visible(table.rows[0][0].get<std::string>()), page);
  if (table.shape == report::Shape::sentences) return out + sentences(table, page);
  if (table.columns.empty()) return out;
  std::vector<Column> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) columns.push_back(make_column(table, i));
  const bool is_whole = table.shape == report::Shape::whole;
  const bool is_wide = page.width > 0 && total_width(columns) > page.width;
  if (is_wide && table.rows.size() == 1) return out + upright(columns, page, is_whole);
  if (is_wide && is_whole && !table.rows.empty()) return out + whole_table(columns, table.rows.size(), page);
  const std::vector<std::string> gone = fit(columns, page.width);
  out += header(columns, page.style);
  for (std::size_t row = 0; row < table.rows.size(); ++row) out += text_line(columns, row, page.style);
  if (table.rows.empty()) out += page.style.dim("(no rows)") + "\n";
  if (!gone.empty()) {
    const std::string remark = fmt::format("(not shown for lack of width: {})", fmt::join(gone, ", "));
    out += page.style.dim(remark) + "\n";
  }
  return out;
}

}  // namespace

std::string TextOutput::text(const std::vector<report::Table>& tables) const {
  std::string out;
  for (const report::Table& table : tables) {
    if (!out.empty()) out += "\n";
    out += text_table(table, page_);
  }
  return out;
}

}  // namespace dlrun::cli
