// SPDX-License-Identifier: Apache-2.0
#include "dataset/sheet.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dataset/column.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

char delimiter_of(const Json& data) {
  const std::string text = data["delimiter"].get<std::string>();
  if (text == "auto") return '\0';
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && text != "\"" && text != "\n" && text != "\r") return text[0];
  throw DataError("delimiter", fmt::format("{} is no delimiter", quoted(data["delimiter"])),
                  "one character, tab, or auto");
}

namespace {

bool has_header(const Json& data, const Table& table) {
  if (data["header"].is_boolean()) return data["header"].get<bool>();
  for (std::size_t i = 0; i < table.columns; ++i) {
    if (table.cell(0, i).empty() || parse_number(table.cell(0, i))) return false;
  }
  return true;
}

void name_columns(Sheet& sheet) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < sheet.table.columns; ++i) {
    std::string name = sheet.first > 0 ? std::string(sheet.table.cell(0, i)) : fmt::format("c{}", i);
    require_utf8(name, fmt::format("the name of column {}", i), sheet.file);
    if (name.empty())
      throw DataError("path", fmt::format("column {} has no name", i), "name it in the header, or say `header: false`",
                      sheet.file);
    if (!seen.insert(name).second)
      throw DataError("path", fmt::format("two columns are named '{}'", name), "rename one in the header", sheet.file);
    sheet.names.push_back(std::move(name));
  }
}

}  // namespace

Sheet read_sheet(const Json& data, std::string_view text, const std::string& file) {
  return sheet_of(read_csv(text, file, delimiter_of(data)), data, file);
}

Sheet sheet_of(Table table, const Json& data, const std::string& file) {
  Sheet sheet{std::move(table), file};
  if (sheet.table.rows() == 0) throw DataError("path", fmt::format("'{}' has no rows", file), "", file);
  sheet.first = has_header(data, sheet.table) ? 1 : 0;
  if (sheet.table.rows() == sheet.first)
    throw DataError("path", fmt::format("'{}' has a header, but no rows", file), "", file);
  name_columns(sheet);
  return sheet;
}

std::size_t find_column(const Sheet& sheet, const Json& wanted, const std::string& key) {
  const auto count = static_cast<std::int64_t>(sheet.names.size());
  if (wanted.is_number_integer()) {
    const auto index = wanted.get<std::int64_t>();
    if (index >= -count && index < count) return static_cast<std::size_t>(index < 0 ? index + count : index);
    throw DataError(key, fmt::format("there is no column {}, the file has {}", index, count),
                    fmt::format("{} to {}, or a name", -count, count - 1));
  }
  const std::string name = wanted.get<std::string>();
  const auto found = std::find(sheet.names.begin(), sheet.names.end(), name);
  if (found != sheet.names.end()) return static_cast<std::size_t>(found - sheet.names.begin());
  throw DataError(key, fmt::format("there is no column '{}' in '{}'", name, sheet.file),
                  hint_for_name(name, sheet.names));
}

std::set<std::size_t> find_columns(const Sheet& sheet, const Json& data, const std::string& key) {
  std::set<std::size_t> result;
  for (const Json& wanted : data[key]) result.insert(find_column(sheet, wanted, key));
  return result;
}

}  // namespace dlrun::dataset
