// SPDX-License-Identifier: Apache-2.0
#include "dataset/sequences/series_frame.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/sequences/series_columns.hpp"
#include "dataset/times.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

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

namespace {

constexpr std::size_t kMostSeriesFrameBytes = std::size_t(4) << 30;

/// The section as one of a table, for its reader.
Json table_section(const Json& data) {
  Json section = data;
  section["drop"] = data["drop"];
  section["categorical"] = Json::array();
  section["task"] = "regression";
  section["most_categories"] = std::numeric_limits<std::int32_t>::max();  // filled() refuses texts, and says what helps
  section["split"] = {{"column", nullptr}, {"group", nullptr}, {"time", nullptr}};
  if (!data["time"].empty()) section["split"]["time"] = data["time"][0];
  return section;
}

/// Keys that only a table reads.
void refuse_table_keys(const Json& data, const std::string& file) {
  for (const char* key : {"header", "delimiter"}) {
    if (data[key] == "auto") continue;
    throw DataError(key, fmt::format("'{}' has no effect: '{}' holds arrays, no table", key, file), "remove it");
  }
}

Frame frame_of(SeriesColumns columns, const Json& data) {
  const Json section = table_section(data);
  const std::set<std::size_t> targets = find_columns(columns.sheet, section, "target");
  Frame frame;
  frame.names = columns.sheet.names;
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
  const Content content = read_table_text(file, kMostSeriesFrameBytes);
  const Json section = table_section(data);
  const Sheet sheet = read_sheet(section, content.bytes, file.string());
  for (const Json& time : data["time"]) find_column(sheet, time, "time");  // the reader of tables has another key
  return {dataset::frame_of(section, sheet, false), content.sha256};
}

SeriesFrame from_array(const Json& data, const std::filesystem::path& file) {
  refuse_table_keys(data, file.string());
  SeriesColumns columns = array_columns(file, data["columns"]);
  const std::string sha256 = columns.sha256;
  return {frame_of(std::move(columns), data), sha256};
}

SeriesFrame from_archive(const Json& data, const std::filesystem::path& file) {
  refuse_table_keys(data, file.string());
  if (!data["columns"].is_null())
    throw DataError("columns", fmt::format("'columns' has no effect: the arrays of '{}' have names", file.string()),
                    "remove it");
  SeriesColumns columns = archive_columns(file);
  const std::string sha256 = columns.sha256;
  return {frame_of(std::move(columns), data), sha256};
}

}  // namespace

void check_order(const Frame& frame) {
  const auto found = frame.split_cells.find("time");
  if (found == frame.split_cells.end()) return;
  const std::vector<std::string>& times = found->second;
  const std::vector<TimeKey> keys =
      time_keys({times, "time", [&](std::size_t row) { return fmt::format("{} {}", frame.unit, frame.lines[row]); }});
  for (std::size_t row = 1; row < times.size(); ++row) {
    if (keys[row - 1] <= keys[row]) continue;
    throw DataError(
        "time",
        fmt::format("{} {} has the time '{}' behind '{}'", frame.unit, frame.lines[row], times[row], times[row - 1]),
        "sort the file by time", frame.place(row));
  }
}

SeriesFrame read_series(const Json& data, const std::filesystem::path& file) {
  if (data["time"].size() > 1) throw DataError("time", "'time' must be one column", "name one");
  const SeriesKind kind = series_kind(file);
  SeriesFrame series = kind == SeriesKind::array     ? from_array(data, file)
                       : kind == SeriesKind::archive ? from_archive(data, file)
                                                     : from_table(data, file);
  check_order(series.frame);
  return series;
}

}  // namespace dlrun::dataset
