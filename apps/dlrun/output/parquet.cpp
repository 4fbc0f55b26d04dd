// SPDX-License-Identifier: Apache-2.0
// Parquet by pyarrow, the Python package of Apache Arrow's own library, which no Debian package brings. python3 gets
// the columns as JSON and gives the file's bytes back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "output/output.hpp"
#include "plot/program.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

constexpr const char* kWriteParquet = R"python(
import json, sys
try:
    import pyarrow, pyarrow.parquet
except ImportError:
    sys.exit("no pyarrow")
types = {"bool": pyarrow.bool_(), "int": pyarrow.int64(), "real": pyarrow.float64(), "text": pyarrow.string(),
         "null": pyarrow.null()}
columns = json.load(sys.stdin)
for column in columns:
    if column["type"] == "real":
        column["values"] = [None if value is None else float(value) for value in column["values"]]
table = pyarrow.Table.from_arrays([pyarrow.array(c["values"], types[c["type"]]) for c in columns],
                                  names=[c["name"] for c in columns])
pyarrow.parquet.write_table(table, sys.stdout.buffer)
)python";

/// The narrowest type that holds all values of a column.
const char* parquet_type(const report::Table& table, std::size_t column) {
  bool has_bool = false, has_int = false, has_real = false, has_text = false;
  for (const auto& row : table.rows) {
    const Json& cell = row[column];
    has_bool = has_bool || cell.is_boolean();
    has_int = has_int || cell.is_number_integer();
    has_real = has_real || cell.is_number_float();
    has_text = has_text || cell.is_string() || cell.is_structured();
  }
  if (has_text || (has_bool && (has_int || has_real))) return "text";
  if (has_bool) return "bool";
  if (has_real) return "real";
  return has_int ? "int" : "null";
}

/// JSON has no infinities: Python reads them from text.
Json parquet_value(const Json& cell, std::string_view type) {
  if (cell.is_null()) return cell;
  if (type == "text" && !cell.is_string()) return to_text(cell);
  if (cell.is_number_float() && !std::isfinite(cell.get<double>())) return fmt::format("{}", cell.get<double>());
  return cell;
}

std::string parquet_columns(const report::Table& table) {
  Json columns = Json::array();
  std::set<std::string> names;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!names.insert(table.columns[i]).second)
      throw Error(ErrorKind::usage,
                  fmt::format("two columns are named '{}', which Parquet does not allow", table.columns[i]),
                  "name them with `as`");
    const char* const type = parquet_type(table, i);
    Json values = Json::array();
    for (const auto& row : table.rows) values.push_back(parquet_value(row[i], type));
    columns.push_back({{"name", table.columns[i]}, {"type", type}, {"values", std::move(values)}});
  }
  return columns.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string last_line_of(const std::string& text) {
  const std::string_view lines = std::string_view(text).substr(0, text.find_last_not_of("\n ") + 1);
  return std::string(lines.substr(lines.rfind('\n') + 1));
}

}  // namespace

std::string ParquetOutput::text(const std::vector<report::Table>& tables) const {
  if (is_terminal_)
    throw Error(ErrorKind::usage, "Parquet is nothing for a terminal", "add -o FILE, or send it into a pipe");
  if (tables.size() != 1)
    throw Error(ErrorKind::usage,
                fmt::format("a file of Parquet holds one table, and the answer has {}", tables.size()),
                "ask for one with --sql, --query or --trials");
  const char* const chosen = std::getenv("DLRUN_PYTHON");
  const std::string python = chosen == nullptr || *chosen == '\0' ? "python3" : chosen;
  const auto said = plot::run_program({python, "-c", kWriteParquet}, parquet_columns(tables[0]));
  if (!said || (!said->is_fine && said->error.starts_with("no pyarrow")))
    throw Error(ErrorKind::usage,
                fmt::format("Parquet is written by the Python package pyarrow, and '{}' {}", python,
                            said ? "has none" : "is not there"),
                "pip install pyarrow, in an environment that is active or whose Python DLRUN_PYTHON names; or take "
                "--format csv");
  if (!said->is_fine)
    throw Error(ErrorKind::outside, "pyarrow could not write the table: " + last_line_of(said->error));
  return said->out;
}

}  // namespace dlrun::cli
