// SPDX-License-Identifier: Apache-2.0
// op: series. A table whose rows follow one another in time: a window of rows predicts the targets of the next ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dataset/bytes.hpp"
#include "dataset/frame.hpp"
#include "dataset/sequences/windows.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::size_t kMostBytes = std::size_t(4) << 30;
constexpr std::int64_t kMostValues = std::int64_t(1) << 24;  ///< of one example

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
void check_order(const Frame& frame, const std::string& file) {
  const auto found = frame.split_cells.find("time");
  if (found == frame.split_cells.end()) return;
  const std::vector<std::string>& times = found->second;
  for (std::size_t row = 1; row < times.size(); ++row) {
    const std::optional<double> before = parse_number(times[row - 1]), now = parse_number(times[row]);
    if (before && now ? *before <= *now : times[row - 1] <= times[row]) continue;
    throw DataError("time",
                    fmt::format("line {} has the time '{}' behind '{}'", frame.lines[row], times[row], times[row - 1]),
                    "sort the file by time", fmt::format("{}:{}", file, frame.lines[row]));
  }
}

/// Numbers of a column, gaps filled by the last value where the section says so.
std::vector<double> filled(const Column& column, const Json& data, const Frame& frame, const std::string& file) {
  if (column.is_categorical)
    throw DataError("features", fmt::format("column '{}' is no column of numbers", column.name),
                    fmt::format("`drop: [{0}]`, or `time: {0}`", column.name), file);
  std::vector<double> numbers = column.numbers;
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    if (!std::isnan(numbers[row])) continue;
    if (data["fill"] == "forward" && row > 0) {
      numbers[row] = numbers[row - 1];
      continue;
    }
    throw DataError("path", fmt::format("column '{}' has no value in line {}", column.name, frame.lines[row]),
                    row > 0 ? "fill it in, or `fill: forward`: the last value before it" : "fill it in",
                    fmt::format("{}:{}", file, frame.lines[row]));
  }
  return numbers;
}

/// To mean 0 and deviation 1 over the first `train` rows; a constant column becomes 0.
void standardise(std::vector<double>& numbers, std::int64_t train) {
  double sum = 0, squares = 0;
  for (std::int64_t row = 0; row < train; ++row) sum += numbers[std::size_t(row)];
  const double mean = sum / double(train);
  for (std::int64_t row = 0; row < train; ++row) squares += std::pow(numbers[std::size_t(row)] - mean, 2);
  const double deviation = std::sqrt(squares / double(train));
  for (double& number : numbers) number = (number - mean) / (deviation > 0 ? deviation : 1);
}

/// Columns side by side, [rows, columns].
class Matrix {
 public:
  Matrix(std::size_t rows, const Frame& frame, const std::string& file) : rows_(rows), frame_(frame), file_(file) {}

  void add(const std::string& name, const std::vector<double>& numbers) {
    for (std::size_t row = 0; row < rows_; ++row) {
      if (std::isfinite(static_cast<float>(numbers[row]))) continue;
      throw DataError(
          "path", fmt::format("column '{}' has a number in line {} that float32 cannot hold", name, frame_.lines[row]),
          "scale the column in the file", fmt::format("{}:{}", file_, frame_.lines[row]));
    }
    names_.push_back(name);
    columns_.push_back(numbers);
  }

  /// Examples of `length` rows, from row `first` on.
  Array windows(const Windows& w, std::int64_t first, std::int64_t length) const {
    const auto width = std::int64_t(columns_.size());
    auto values = std::make_shared<std::vector<float>>();
    for (std::size_t row = 0; row < rows_; ++row) {
      for (const std::vector<double>& column : columns_) values->push_back(static_cast<float>(column[row]));
    }
    Array array;
    array.bytes = {values, reinterpret_cast<const std::byte*>(values->data() + first * width)};
    array.examples = w.count();
    array.width = length * width;
    array.stride = w.step * width;
    return array;
  }

  const std::vector<std::string>& names() const { return names_; }

 private:
  std::size_t rows_;
  const Frame& frame_;
  const std::string& file_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
};

Windows windows_of(const Json& data, const Frame& frame, const std::string& file) {
  Windows w{.items = std::int64_t(frame.rows), .need = 0, .step = data["step"].get<std::int64_t>()};
  w.need = data["window"].get<std::int64_t>() + data["horizon"].get<std::int64_t>();
  if (w.items < w.need)
    throw DataError("window",
                    fmt::format("a window and its horizon need {} rows, but the file has {}", w.need, w.items),
                    "a smaller window", file);
  set_borders(w, data["split"]);
  return w;
}

Dataset load_series(const Json& data, const Sources& sources, std::uint64_t) {
  const std::string file = sources[0].file.string();
  const Content content = read_content(sources[0].file, kMostBytes);
  const Frame frame = read_frame(table_section(data), content.bytes, file, false);
  check_order(frame, file);
  const Windows w = windows_of(data, frame, file);
  const Rows rows = window_rows(w, data["split"]);
  const bool is_standardised = data["standardise"].get<bool>(), are_targets = data["standardise_targets"].get<bool>();
  Matrix inputs(frame.rows, frame, file), targets(frame.rows, frame, file);
  const auto add = [&](Matrix& to, const Column& column, bool is_scaled) {
    std::vector<double> numbers = filled(column, data, frame, file);
    if (is_scaled) standardise(numbers, w.train_end);
    to.add(column.name, numbers);
  };
  for (const Column& column : frame.features) add(inputs, column, is_standardised);
  for (const Column& column : frame.targets) {
    if (data["own_past"].get<bool>()) add(inputs, column, is_standardised);
    add(targets, column, are_targets);
  }
  if (inputs.names().empty())
    throw DataError("own_past", "no column is left as an input", "name `features`, or leave `own_past` on");
  const auto window = data["window"].get<std::int64_t>(), horizon = data["horizon"].get<std::int64_t>();
  Dataset dataset;
  dataset.schema.inputs = {{"x", {window, std::int64_t(inputs.names().size())}}};
  dataset.schema.targets = horizon * std::int64_t(targets.names().size());
  if (dataset.schema.targets > kMostValues || window * std::int64_t(inputs.names().size()) > kMostValues)
    throw DataError("window", "an example would have more than 2^24 numbers", "a smaller window or horizon");
  dataset.schema.sha256 = content_hash(data, sources, {content.sha256});
  dataset.inputs = {inputs.windows(w, 0, window)};
  dataset.targets = targets.windows(w, window, horizon);
  finish_splits(dataset, rows);
  return dataset;
}

Option column_list(const char* name, Json fallback, bool required, const char* text) {
  return {.name = name, .type = "list", .fallback = std::move(fallback), .required = required, .text = text};
}

std::vector<Option> series_options() {
  return {
      {.name = "path", .type = "string", .required = true, .text = "a table, a row for each time, the earliest first", .is_path = true},
      {.name = "header", .type = "bool-or-enum:auto", .fallback = "auto", .text = "as of csv"},
      {.name = "delimiter", .type = "string", .fallback = "auto", .text = "as of csv"},
      column_list("target", nullptr, true, "the columns that are predicted"),
      {.name = "features", .type = "list-or-enum:all", .fallback = "all", .text = "other columns that are inputs"},
      column_list("drop", Json::array(), false, "columns that are not"),
      column_list("time", Json::array(), false, "the column of times: no input; rows must be in its order"),
      {.name = "own_past", .type = "bool", .fallback = true, .text = "the targets' past values are inputs too"},
      {.name = "window", .type = "int", .required = true, .low = 1, .high = 1e6, .text = "rows that are seen"},
      {.name = "horizon",
       .type = "int",
       .fallback = 1,
       .low = 1,
       .high = 1e6,
       .text = "rows that are predicted behind them"},
      {.name = "step", .type = "int", .fallback = 1, .low = 1, .high = 1e9, .text = "rows from one window to the next"},
      {.name = "missing",
       .type = "list",
       .fallback = Json::array({"", "NA", "N/A", "NaN", "nan", "null", "?"}),
       .text = "cells that mean: no value"},
      {.name = "fill",
       .type = "enum:none|forward",
       .fallback = "none",
       .text = "forward: a gap becomes the last value before it"},
      {.name = "standardise",
       .type = "bool",
       .fallback = true,
       .text = "inputs to mean 0 and deviation 1 over the training rows"},
      {.name = "standardise_targets",
       .type = "bool",
       .fallback = false,
       .text = "targets likewise; losses are then in deviations"}};
}

}  // namespace

Format series_format() {
  return {{"series", series_options(), "windows over a time series"}, SplitBy::order, find_path, load_series};
}

}  // namespace dlrun::dataset
