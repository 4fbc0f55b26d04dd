// SPDX-License-Identifier: Apache-2.0
#include "dataset/encode.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace dlrun::dataset {

namespace {

using RowList = std::vector<std::int64_t>;

constexpr const char* kMissing = "(missing)";

std::vector<double> present(const Column& column, const RowList& rows) {
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

double filling(const Column& column, const RowList& train, const Json& data) {
  if (data["impute"].is_number()) return data["impute"].get<double>();
  return data["impute"] == "median" ? median(present(column, train)) : mean_of(column, train);
}

/// Sets shift and deviation: the population's over the training rows, gaps filled; a constant column becomes 0, though
/// the mean of its numbers may differ from them in the last bit.
void standardise(FittedColumn& fitted, const Column& column, const RowList& train) {
  std::vector<double> values;
  for (const std::int64_t row : train) values.push_back(fitted.filled(column.numbers[row]) / fitted.divisor);
  const bool is_constant = std::equal(values.begin() + 1, values.end(), values.begin());
  if (is_constant) return void(fitted.shift = values.front());
  const double center = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  const double deviation = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, values.size())));
  fitted.shift = center;
  fitted.deviation = deviation > 0 ? deviation : 1;
}

bool is_standardised(const Json& data) {
  return data["standardise"].is_boolean() ? data["standardise"].get<bool>() : data["scale"].is_null();
}

FittedColumn fit_number(const Column& column, const RowList& train, const Json& data) {
  FittedColumn fitted{.name = column.name, .is_date = column.is_date};
  fitted.fill = filling(column, train, data);
  fitted.divisor = data["scale"].is_null() ? 1 : data["scale"].get<double>();
  fitted.has_gap_input = data["indicator"].get<bool>() && column.gaps > 0;
  if (is_standardised(data)) standardise(fitted, column, train);
  return fitted;
}

FittedColumn fit_categories(const Column& column, const RowList& train, const Json& data) {
  const bool are_own = data["impute_category"] == "own";
  FittedColumn fitted{.name = column.name, .is_categorical = true, .categories = column.categories};
  if (!are_own) fitted.gap_code = most_frequent(column, train).value_or(0);
  fitted.has_gap_input = are_own && column.gaps > 0;
  return fitted;
}

/// One input: its name, its source, its value in each row.
struct InputColumn {
  std::string name;
  std::string column;
  std::vector<double> values;
};

class Encoder {
 public:
  Encoder(const Frame& frame, const std::vector<FittedColumn>& fitted) : frame_(frame), fitted_(fitted) {}

  std::vector<InputColumn> encode() {
    for (std::size_t k = 0; k < fitted_.size(); ++k) {
      const Column& column = frame_.features[k];
      column.is_categorical ? add_categories(column, fitted_[k]) : add_number(column, fitted_[k]);
    }
    return std::move(inputs_);
  }

 private:
  void add_number(const Column& column, const FittedColumn& fitted) {
    std::vector<double> values = column.numbers;
    for (double& value : values) value = (fitted.filled(value) / fitted.divisor - fitted.shift) / fitted.deviation;
    inputs_.push_back({column.name, column.name, std::move(values)});
    if (fitted.has_gap_input)
      add_flag(column, kMissing, [&](std::size_t row) { return std::isnan(column.numbers[row]); });
  }

  void add_categories(const Column& column, const FittedColumn& fitted) {
    for (std::size_t k = 0; k < fitted.categories.size(); ++k) {
      add_flag(column, fitted.categories[k], [&](std::size_t row) {
        return (column.codes[row] == kGap ? fitted.gap_code : column.codes[row]) == static_cast<std::int32_t>(k);
      });
    }
    if (fitted.has_gap_input) add_flag(column, kMissing, [&](std::size_t row) { return column.codes[row] == kGap; });
  }

  void add_flag(const Column& column, const std::string& value, const std::function<bool(std::size_t)>& holds) {
    std::vector<double> values(frame_.rows);
    for (std::size_t row = 0; row < frame_.rows; ++row) values[row] = holds(row) ? 1 : 0;
    inputs_.push_back({column.name + '=' + value, column.name, std::move(values)});
  }

  const Frame& frame_;
  const std::vector<FittedColumn>& fitted_;
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

double FittedColumn::filled(double number) const { return std::isnan(number) ? fill : number; }

FittedColumn fit_target(const Column& target, const RowList& train) {
  FittedColumn fitted{.name = target.name};
  if (!train.empty()) standardise(fitted, target, train);
  return fitted;
}

std::vector<FittedColumn> fit(const Frame& frame, const std::vector<std::int64_t>& train, const Json& data) {
  std::vector<FittedColumn> fitted;
  for (const Column& column : frame.features)
    fitted.push_back(column.is_categorical ? fit_categories(column, train, data) : fit_number(column, train, data));
  return fitted;
}

Encoded encode(const Frame& frame, const std::vector<FittedColumn>& fitted) {
  const std::vector<InputColumn> inputs = Encoder(frame, fitted).encode();
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
