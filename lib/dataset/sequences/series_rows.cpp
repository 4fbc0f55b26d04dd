// SPDX-License-Identifier: Apache-2.0
#include "dataset/sequences/series_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace dlrun::dataset {

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

void require_whole(const Column& target, const Frame& frame) {
  for (std::size_t row = 0; row < target.numbers.size(); ++row) {
    if (!std::isnan(target.numbers[row])) continue;
    throw DataError("target",
                    fmt::format("the target '{}' has no value in {} {}", target.name, frame.unit, frame.lines[row]),
                    "remove the row, or fill it in: `fill` is for inputs", frame.place(row));
  }
}

Standard standard_of(const std::vector<double>& numbers, std::int64_t train) {
  // Without training rows nothing is measured: the split is refused later.
  const bool is_constant = train < 1 || std::equal(numbers.begin() + 1, numbers.begin() + train, numbers.begin());
  if (is_constant) return {numbers.front(), 1};
  double sum = 0, squares = 0;
  for (std::int64_t row = 0; row < train; ++row) sum += numbers[std::size_t(row)];
  const double mean = sum / double(train);
  for (std::int64_t row = 0; row < train; ++row) squares += std::pow(numbers[std::size_t(row)] - mean, 2);
  const double deviation = std::sqrt(squares / double(train));
  return {mean, deviation > 0 ? deviation : 1};
}

void Standard::apply(std::vector<double>& numbers) const {
  for (double& number : numbers) number = (number - mean) / deviation;
}

void SeriesMatrix::add_column(const std::string& name, const std::vector<double>& numbers) {
  for (std::size_t row = 0; row < rows_; ++row) {
    if (std::isfinite(static_cast<float>(numbers[row]))) continue;
    throw DataError(
        "path",
        fmt::format("column '{}' has a number in {} {} that float32 cannot hold", name, frame_.unit, frame_.lines[row]),
        "scale the column in the file", frame_.place(row));
  }
  names_.push_back(name);
  columns_.push_back(numbers);
}

Array SeriesMatrix::windows(const Windows& w, std::int64_t first, std::int64_t length) const {
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

std::vector<Column> inputs_of(const Json& data, const Frame& frame, const std::string& file) {
  std::vector<Column> columns = frame.features;
  const std::vector<Column>& targets = frame.targets.front().numbers;
  if (data["own_past"].get<bool>()) columns.insert(columns.end(), targets.begin(), targets.end());
  for (Column& column : columns) column.numbers = filled(column, data, frame, file);
  return columns;
}

std::vector<Column> targets_of(const Json& data, const Frame& frame, const std::string& file) {
  std::vector<Column> targets = frame.targets.front().numbers;
  for (Column& target : targets) {
    require_whole(target, frame);
    target.numbers = filled(target, data, frame, file);
  }
  return targets;
}

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

}  // namespace dlrun::dataset
