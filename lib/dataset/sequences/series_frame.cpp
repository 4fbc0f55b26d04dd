// SPDX-License-Identifier: Apache-2.0
#include "dataset/sequences/series_frame.hpp"

#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "dataset/arrays/archive.hpp"
#include "dataset/arrays/npy.hpp"
#include "dataset/bytes.hpp"
#include "util/value_form.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::size_t kMostBytes = std::size_t(4) << 30;
constexpr std::int64_t kMostColumns = 100000;

/// The section as one of a table, for its reader.
Json table_section(const Json& data) {
  Json section = data;
  section["drop"] = data["drop"];
  section["categorical"] = Json::array();
  section["task"] = "regression";
  section["most_categories"] = 2;
  section["split"] = {{"column", nullptr}, {"group", nullptr}, {"time", nullptr}};
  if (!data["time"].empty()) section["split"]["time"] = data["time"][0];
  return section;
}

/// Times must not fall: numbers by value, texts by bytes (2026-01-31 23:59).
void check_order(const Frame& frame) {
  const auto found = frame.split_cells.find("time");
  if (found == frame.split_cells.end()) return;
  const std::vector<std::string>& times = found->second;
  for (std::size_t row = 1; row < times.size(); ++row) {
    const std::optional<double> before = parse_number(times[row - 1]), now = parse_number(times[row]);
    if (before && now ? *before <= *now : times[row - 1] <= times[row]) continue;
    throw DataError(
        "time",
        fmt::format("{} {} has the time '{}' behind '{}'", frame.unit, frame.lines[row], times[row], times[row - 1]),
        "sort the file by time", frame.place(row));
  }
}

/// Columns with their names: a sheet without cells, and the numbers beside it.
struct Columns {
  Sheet sheet;
  std::vector<std::vector<double>> values;

  void add(std::string name, std::vector<double> column) {
    sheet.names.push_back(std::move(name));
    values.push_back(std::move(column));
  }
};

/// Rows and columns of an array [rows] or [rows, columns].
struct Size {
  std::int64_t rows = 0, columns = 1;

  explicit Size(const RawTensor& raw) {
    std::int64_t count = 0;
    const bool is_good = (raw.shape.size() == 1 || raw.shape.size() == 2) && count_of(raw.shape, count) && count > 0;
    if (!is_good)
      throw DataError("path", fmt::format("{} has the shape [{}]", raw.name, fmt::join(raw.shape, ", ")),
                      "a series is [rows] or [rows, columns]");
    rows = raw.shape[0];
    columns = raw.shape.size() == 2 ? raw.shape[1] : 1;
    if (columns > kMostColumns)
      throw DataError("path", fmt::format("{} has {} columns", raw.name, columns), "a row is one moment in time");
  }
};

/// Takes an array apart; its columns are called by `name_of(number)`.
template <class NameOf>
void add_columns(Columns& columns, const RawTensor& raw, const NameOf& name_of) {
  const Size size(raw);
  const std::vector<double> numbers = to_doubles(raw);
  for (std::int64_t c = 0; c < size.columns; ++c) {
    std::vector<double> column;
    column.reserve(std::size_t(size.rows));
    for (std::int64_t row = 0; row < size.rows; ++row) column.push_back(numbers[std::size_t(row * size.columns + c)]);
    columns.add(name_of(c), std::move(column));
  }
}

void add_file(Columns& columns, const RawTensor& raw, const Json& names) {
  const std::int64_t count = Size(raw).columns;
  if (!names.is_null() && std::int64_t(names.size()) != count)
    throw DataError("columns", fmt::format("there are {} names, but {} has {} columns", names.size(), raw.name, count),
                    "one name for each");
  std::set<std::string> seen;
  for (const Json& name : names.is_array() ? names : Json::array()) {
    if (!name.is_string() || !seen.insert(name.get<std::string>()).second)
      throw DataError("columns", fmt::format("{} is no name of its own", quoted(name)), "different texts");
  }
  add_columns(columns, raw, [&](std::int64_t c) {
    return names.is_null() ? fmt::format("c{}", c) : names[std::size_t(c)].get<std::string>();
  });
}

/// Every array of an archive is a column, or several: "heat.0", "heat.1".
void add_archive(Columns& columns, const Archive& archive) {
  std::int64_t rows = -1;
  std::string first;
  for (const auto& [name, read] : archive.tensors) {
    const RawTensor raw = read("path");
    const Size size(raw);
    if (rows >= 0 && size.rows != rows)
      throw DataError("path", fmt::format("{} has {} rows, but {} has {}", raw.name, size.rows, first, rows),
                      "all arrays of a series have the same", archive.file);
    rows = size.rows;
    first = raw.name;
    add_columns(columns, raw,
                [&, name = name](std::int64_t c) { return size.columns == 1 ? name : fmt::format("{}.{}", name, c); });
  }
  if (columns.values.empty())
    throw DataError("path", fmt::format("'{}' has no arrays", archive.file), "", archive.file);
}

/// Keys that only a table reads.
void refuse_table_keys(const Json& data, const std::string& file) {
  for (const char* key : {"header", "delimiter"}) {
    if (data[key] == "auto") continue;
    throw DataError(key, fmt::format("'{}' has no effect: '{}' holds arrays, no table", key, file), "remove it");
  }
}

std::vector<std::string> times_of(const std::vector<double>& column, const std::string& file) {
  std::vector<std::string> times;
  for (const double time : column) {
    if (!std::isfinite(time))
      throw DataError("time", fmt::format("row {} has no time", times.size()), "fill it in",
                      fmt::format("{}, row {}", file, times.size()));
    times.push_back(fmt::format("{}", time));
  }
  return times;
}

Frame frame_of(Columns columns, const Json& data) {
  const Json section = table_section(data);
  const std::set<std::size_t> targets = find_columns(columns.sheet, section, "target");
  Frame frame;
  frame.unit = "row";
  frame.parts = {{0, columns.sheet.file}};
  frame.rows = columns.values[0].size();
  for (std::size_t row = 0; row < frame.rows; ++row) frame.lines.push_back(std::int64_t(row));
  if (!section["split"]["time"].is_null()) {
    const std::size_t time = find_column(columns.sheet, section["split"]["time"], "time");
    frame.split_cells["time"] = times_of(columns.values[time], columns.sheet.file);
  }
  const auto column_of = [&](std::size_t index) {
    Column column{.name = columns.sheet.names[index], .index = index};
    column.numbers = columns.values[index];
    return column;
  };
  for (const std::size_t index : feature_columns(columns.sheet, section, targets))
    frame.features.push_back(column_of(index));
  frame.targets.emplace_back();
  for (const std::size_t index : targets) frame.targets.back().numbers.push_back(column_of(index));
  return frame;
}

SeriesFrame from_table(const Json& data, const std::filesystem::path& file) {
  if (!data["columns"].is_null())
    throw DataError("columns", fmt::format("'columns' has no effect: '{}' is a table", file.string()),
                    "its header names them");
  const Content content = read_content(file, kMostBytes);
  return {read_frame(table_section(data), content.bytes, file.string(), false), content.sha256};
}

SeriesFrame from_array(const Json& data, const std::filesystem::path& file) {
  refuse_table_keys(data, file.string());
  const Mapped mapped = map_file(file, "path");
  Columns columns;
  columns.sheet.file = file.string();
  add_file(columns, read_npy(mapped.bytes, mapped.size, fmt::format("'{}'", file.string()), "path"), data["columns"]);
  return {frame_of(std::move(columns), data), mapped.sha256};
}

SeriesFrame from_archive(const Json& data, const std::filesystem::path& file) {
  refuse_table_keys(data, file.string());
  if (!data["columns"].is_null())
    throw DataError("columns", fmt::format("'columns' has no effect: the arrays of '{}' have names", file.string()),
                    "remove it");
  const Archive archive = open_npz(file);
  Columns columns;
  columns.sheet.file = file.string();
  add_archive(columns, archive);
  return {frame_of(std::move(columns), data), archive.sha256};
}

std::string first_bytes(const std::filesystem::path& file) {
  std::string bytes(6, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), std::streamsize(bytes.size()));
  return bytes;
}

}  // namespace

SeriesFrame read_series(const Json& data, const std::filesystem::path& file) {
  const std::string magic = first_bytes(file);
  SeriesFrame series = magic == "\x93NUMPY"              ? from_array(data, file)
                       : magic.starts_with("PK\x03\x04") ? from_archive(data, file)
                                                         : from_table(data, file);
  check_order(series.frame);
  return series;
}

}  // namespace dlrun::dataset
