// SPDX-License-Identifier: Apache-2.0
#include "dataset/encode.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

namespace dlrun::dataset {

namespace {

using Rows = std::vector<std::int64_t>;

constexpr const char* kMissing = "(missing)";

std::vector<double> present(const Column& column, const Rows& rows) {
  std::vector<double> values;
  for (const std::int64_t row : rows) {
    if (!std::isnan(column.numbers[row])) values.push_back(column.numbers[row]);
  }
  return values;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double filling(const Column& column, const Rows& train, const Json& data) {
  if (data["impute"].is_number()) return data["impute"].get<double>();
  return data["impute"] == "median" ? median(present(column, train)) : mean_of(column, train);
}

/// x -> (x - shift) / scale.
struct Line {
  double shift = 0;
  double scale = 1;
};

/// Population deviation over the training rows, gaps filled; a constant column becomes 0.
Line standard(const std::vector<double>& numbers, const Rows& train) {
  std::vector<double> values;
  for (const std::int64_t row : train) values.push_back(numbers[row]);
  const double center = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  const double deviation = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, values.size())));
  return {center, deviation > 0 ? deviation : 1};
}

/// One input: its name, its source, its value in each row.
struct InputColumn {
  std::string name;
  std::string column;
  std::vector<double> values;
};

class Encoder {
 public:
  Encoder(const Frame& frame, const Rows& train, const Json& data)
      : frame_(frame), train_(train), data_(data), scale_(data["scale"].is_null() ? 1 : data["scale"].get<double>()) {
    is_standardised_ = data["standardise"].is_boolean() ? data["standardise"].get<bool>() : data["scale"].is_null();
  }

  std::vector<InputColumn> run() {
    for (const Column& column : frame_.features) {
      if (column.is_categorical) {
        add_categories(column);
      } else {
        add_number(column);
      }
    }
    return std::move(inputs_);
  }

 private:
  void add_number(const Column& column) {
    std::vector<double> values = column.numbers;
    const double fill = filling(column, train_, data_);
    for (double& value : values) value = (std::isnan(value) ? fill : value) / scale_;
    if (is_standardised_) {
      const Line line = standard(values, train_);
      for (double& value : values) value = (value - line.shift) / line.scale;
    }
    inputs_.push_back({column.name, column.name, std::move(values)});
    if (data_["indicator"].get<bool>() && column.gaps > 0) {
      add_flag(column, kMissing, [&](std::size_t row) { return std::isnan(column.numbers[row]); });
    }
  }

  void add_categories(const Column& column) {
    const bool are_own = data_["impute_category"] == "own";
    const std::int32_t fill = are_own ? kGap : most_frequent(column, train_).value_or(0);
    for (std::size_t k = 0; k < column.categories.size(); ++k) {
      add_flag(column, column.categories[k], [&](std::size_t row) {
        return (column.codes[row] == kGap ? fill : column.codes[row]) == static_cast<std::int32_t>(k);
      });
    }
    if (are_own && column.gaps > 0)
      add_flag(column, kMissing, [&](std::size_t row) { return column.codes[row] == kGap; });
  }

  void add_flag(const Column& column, const std::string& value, const std::function<bool(std::size_t)>& holds) {
    std::vector<double> values(frame_.rows);
    for (std::size_t row = 0; row < frame_.rows; ++row) values[row] = holds(row) ? 1 : 0;
    inputs_.push_back({column.name + '=' + value, column.name, std::move(values)});
  }

  const Frame& frame_;
  const Rows& train_;
  const Json& data_;
  double scale_;
  bool is_standardised_ = true;
  std::vector<InputColumn> inputs_;
};

float narrowed(const InputColumn& input, const Frame& frame, std::size_t row) {
  const auto result = static_cast<float>(input.values[row]);
  if (std::isfinite(result)) return result;
  throw DataError(
      "path",
      fmt::format("column '{}' has a number in line {} that float32 cannot hold", input.column, frame.lines[row]),
      "scale the column in the file, or drop it", frame.place(row));
}

}  // namespace

Encoded encode(const Frame& frame, const std::vector<std::int64_t>& train, const Json& data) {
  const std::vector<InputColumn> inputs = Encoder(frame, train, data).run();
  Encoded encoded;
  encoded.inputs.resize(frame.rows * inputs.size());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    encoded.names.push_back(inputs[k].name);
    encoded.columns.push_back(inputs[k].column);
    for (std::size_t row = 0; row < frame.rows; ++row) {
      encoded.inputs[row * inputs.size() + k] = narrowed(inputs[k], frame, row);
    }
  }
  return encoded;
}

}  // namespace dlrun::dataset
