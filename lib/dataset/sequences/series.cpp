// SPDX-License-Identifier: Apache-2.0
// op: series. A table whose rows follow one another in time: a window of rows predicts the targets of the next ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dataset/replace.hpp"
#include "dataset/sequences/series_frame.hpp"
#include "dataset/sequences/windows.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::int64_t kMostValues = std::int64_t(1) << 24;  ///< of one example

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
    throw DataError("path", fmt::format("column '{}' has no value in {} {}", column.name, frame.unit, frame.lines[row]),
                    row > 0 ? "fill it in, or `fill: forward`: the last value before it" : "fill it in",
                    frame.place(row));
  }
  return numbers;
}

/// x -> (x - mean) / deviation.
struct Standard {
  double mean = 0, deviation = 1;
};

/// Mean 0 and deviation 1 over the first `train` rows; a constant column becomes 0.
Standard standard_of(const std::vector<double>& numbers, std::int64_t train) {
  double sum = 0, squares = 0;
  for (std::int64_t row = 0; row < train; ++row) sum += numbers[std::size_t(row)];
  const double mean = sum / double(train);
  for (std::int64_t row = 0; row < train; ++row) squares += std::pow(numbers[std::size_t(row)] - mean, 2);
  const double deviation = std::sqrt(squares / double(train));
  return {mean, deviation > 0 ? deviation : 1};
}

void standardise(std::vector<double>& numbers, std::int64_t train) {
  const Standard line = standard_of(numbers, train);
  for (double& number : numbers) number = (number - line.mean) / line.deviation;
}

/// Columns side by side, [rows, columns].
class Matrix {
 public:
  explicit Matrix(const Frame& frame) : rows_(frame.rows), frame_(frame) {}

  void add(const std::string& name, const std::vector<double>& numbers) {
    for (std::size_t row = 0; row < rows_; ++row) {
      if (std::isfinite(static_cast<float>(numbers[row]))) continue;
      throw DataError("path",
                      fmt::format("column '{}' has a number in {} {} that float32 cannot hold", name, frame_.unit,
                                  frame_.lines[row]),
                      "scale the column in the file", frame_.place(row));
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
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
};

/// The inputs, gaps filled: the features, and the targets' past where it is one.
std::vector<Column> inputs_of(const Json& data, const Frame& frame, const std::string& file) {
  std::vector<Column> columns = frame.features;
  const std::vector<Column>& targets = frame.targets.front().numbers;
  if (data["own_past"].get<bool>()) columns.insert(columns.end(), targets.begin(), targets.end());
  for (Column& column : columns) column.numbers = filled(column, data, frame, file);
  return columns;
}

/// The rows of each part of the time.
Rows parts_of(const Windows& w) {
  Rows rows;
  for (std::int64_t row = 0; row < w.items; ++row) {
    (row < w.train_end ? rows.train : row < w.val_end ? rows.val : rows.test).push_back(row);
  }
  return rows;
}

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

}  // namespace

Dataset load_series(const Json& data, const Sources& sources, std::uint64_t seed) {
  const std::string file = sources[0].file.string();
  const SeriesFrame read = read_series(data, sources[0].file);
  const Frame& frame = read.frame;
  const Windows w = windows_of(data, frame, file);
  const Rows rows = window_rows(w, data["split"]);
  const bool is_standardised = data["standardise"].get<bool>(), are_targets = data["standardise_targets"].get<bool>();
  Matrix inputs(frame), targets(frame);
  const auto add = [&](Matrix& to, Column column, bool is_scaled) {
    if (is_scaled) standardise(column.numbers, w.train_end);
    to.add(column.name, column.numbers);
  };
  std::vector<Column> columns = inputs_of(data, frame, file);
  replace_features(columns, data, parts_of(w), seed);
  for (Column& column : columns) add(inputs, std::move(column), is_standardised);
  for (Column column : frame.targets.front().numbers) {
    column.numbers = filled(column, data, frame, file);
    add(targets, std::move(column), are_targets);
  }
  if (inputs.names().empty())
    throw DataError("own_past", "no column is left as an input", "name `features`, or leave `own_past` on");
  const auto window = data["window"].get<std::int64_t>(), horizon = data["horizon"].get<std::int64_t>();
  Dataset dataset;
  dataset.schema.inputs = {{"x", {window, std::int64_t(inputs.names().size())}}};
  dataset.schema.targets = horizon * std::int64_t(targets.names().size());
  if (dataset.schema.targets > kMostValues || window * std::int64_t(inputs.names().size()) > kMostValues)
    throw DataError("window", "an example would have more than 2^24 numbers", "a smaller window or horizon");
  dataset.schema.sha256 = content_hash(data, sources, {read.sha256});
  dataset.inputs = {inputs.windows(w, 0, window)};
  dataset.targets = targets.windows(w, window, horizon);
  finish_splits(dataset, rows);
  return dataset;
}

namespace {

Json columns_json(const std::vector<Column>& columns, std::int64_t train, bool is_standardised) {
  Json json = Json::array();
  for (const Column& column : columns) {
    const Standard line = is_standardised ? standard_of(column.numbers, train) : Standard();
    json.push_back({{"name", column.name}, {"shift", line.mean}, {"deviation", line.deviation}});
  }
  return json;
}

}  // namespace

Json measured_series(const Json& data, const Sources& sources, std::uint64_t seed) {
  const std::string file = sources[0].file.string();
  const Frame frame = read_series(data, sources[0].file).frame;
  const Windows w = windows_of(data, frame, file);
  std::vector<Column> inputs = inputs_of(data, frame, file), targets = frame.targets.front().numbers;
  for (Column& column : targets) column.numbers = filled(column, data, frame, file);
  replace_features(inputs, data, parts_of(w), seed);
  return {{"columns", columns_json(inputs, w.train_end, data["standardise"].get<bool>())},
          {"target_columns", columns_json(targets, w.train_end, data["standardise_targets"].get<bool>())}};
}

}  // namespace dlrun::dataset
