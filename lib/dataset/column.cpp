// SPDX-License-Identifier: Apache-2.0
#include "dataset/column.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "dataset/dataset.hpp"
#include "util/value_form.hpp"

namespace dlrun::dataset {

namespace {

/// Where a column stands in the file, its first data row, and how it is judged.
struct Source {
  const Table& table;
  std::size_t index;
  std::size_t first;
  const ColumnRules& rules;

  std::size_t rows() const { return table.rows() - first; }
  std::string_view cell(std::size_t row) const { return table.cell(first + row, index); }
  bool is_missing(std::size_t row) const {
    return std::find(rules.missing.begin(), rules.missing.end(), cell(row)) != rules.missing.end();
  }
  std::string place(std::size_t row) const { return fmt::format("{}:{}", rules.file, table.lines[first + row]); }
};

/// Numbers found, and the first cell that is neither a number nor missing.
struct Census {
  std::vector<double> numbers;
  std::int64_t count = 0;
  std::int64_t texts = 0;
  std::int64_t gaps = 0;
  std::size_t first_text = 0;
};

Census take_census(const Source& source) {
  Census census;
  census.numbers.assign(source.rows(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t row = 0; row < source.rows(); ++row) {
    if (source.is_missing(row)) {
      ++census.gaps;
    } else if (const std::optional<double> number = parse_number(source.cell(row))) {
      census.numbers[row] = *number;
      ++census.count;
    } else if (census.texts++ == 0) {
      census.first_text = row;
    }
  }
  return census;
}

/// A column of numbers with a few texts in it is a mistake in the file more often than a category.
void refuse_mixture(const Source& source, const std::string& name, const Census& census) {
  const std::size_t row = census.first_text;
  if (census.texts > 0 && source.rules.are_numbers) {
    throw DataError(fmt::format("types.{}", name),
                    fmt::format("column '{}' is declared a number, but line {} says {}", name,
                                source.table.lines[source.first + row], quoted(Json(std::string(source.cell(row))))),
                    "correct it, or list it in `missing`", source.place(row));
  }
  if (census.texts == 0 || census.count <= census.texts) return;
  throw DataError("path",
                  fmt::format("column '{}' has {} numbers, but line {} says {}", name, census.count,
                              source.table.lines[source.first + row], quoted(Json(std::string(source.cell(row))))),
                  fmt::format("correct it, list it in `missing`, or `categorical: [{0}]`, or `drop: [{0}]`", name),
                  source.place(row));
}

bool numeric_less(const std::string& a, const std::string& b) {
  const std::optional<double> left = parse_number(a), right = parse_number(b);
  if (left && right && *left != *right) return *left < *right;
  return left.has_value() != right.has_value() ? left.has_value() : a < b;
}

void check_categories(const std::map<std::string_view, std::int32_t>& seen, const Source& source,
                      const std::string& name) {
  if (seen.size() <= source.rules.most_categories) return;
  throw DataError("path",
                  fmt::format("column '{}' has more than {} different texts: a name, not a category", name,
                              source.rules.most_categories),
                  fmt::format("`drop: [{}]`, or raise `most_categories`", name), source.rules.file);
}

void encode_categories(const Source& source, Column& column) {
  std::map<std::string_view, std::int32_t> seen;
  for (std::size_t row = 0; row < source.rows(); ++row) {
    if (!source.is_missing(row)) seen.emplace(source.cell(row), 0);
    check_categories(seen, source, column.name);
  }
  for (const auto& [text, code] : seen) {
    require_utf8(text, fmt::format("a category of column '{}'", column.name), source.rules.file);
    column.categories.emplace_back(text);
  }
  std::sort(column.categories.begin(), column.categories.end(), numeric_less);
  for (std::size_t i = 0; i < column.categories.size(); ++i) seen[column.categories[i]] = static_cast<std::int32_t>(i);
  column.codes.reserve(source.rows());
  for (std::size_t row = 0; row < source.rows(); ++row) {
    column.codes.push_back(source.is_missing(row) ? -1 : seen[source.cell(row)]);
  }
}

}  // namespace

std::optional<double> parse_number(std::string_view cell) {
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

Column read_column(const Table& table, std::size_t index, const std::string& name, std::size_t first,
                   bool force_categories, const ColumnRules& rules) {
  const Source source{table, index, first, rules};
  Census census = take_census(source);
  Column column{name, index};
  column.gaps = census.gaps;
  if (census.count + census.texts == 0) {
    throw DataError("path", fmt::format("column '{}' has no value at all", name), fmt::format("`drop: [{}]`", name),
                    rules.file);
  }
  if (!force_categories) refuse_mixture(source, name, census);
  column.is_categorical = force_categories || census.texts > 0;
  if (column.is_categorical) {
    encode_categories(source, column);
  } else {
    column.numbers = std::move(census.numbers);
  }
  return column;
}

}  // namespace dlrun::dataset
