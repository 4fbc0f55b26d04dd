// SPDX-License-Identifier: Apache-2.0
#include "dataset/column.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "dataset/dataset.hpp"
#include "dataset/date.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

/// A column in its file, and how it is judged.
struct ColumnSource {
  ColumnSource(const ColumnPlace& place, const ColumnRules& how)
      : table(place.table), index(place.index), first(place.first), rules(how) {
    for (const std::string& text : how.missing)
      can_begin_gap[text.empty() ? 0 : static_cast<unsigned char>(text[0])] = true;
  }

  const Table& table;
  std::size_t index;
  std::size_t first;
  const ColumnRules& rules;
  std::array<bool, 256> can_begin_gap{};  ///< by first byte, 0 for none: most cells need no comparison

  std::size_t rows() const { return table.rows() - first; }
  std::string_view cell(std::size_t row) const { return table.cell(first + row, index); }
  bool is_missing(std::size_t row) const {
    const std::string_view text = cell(row);
    if (!can_begin_gap[text.empty() ? 0 : static_cast<unsigned char>(text[0])]) return false;
    return std::find(rules.missing.begin(), rules.missing.end(), text) != rules.missing.end();
  }
  std::int64_t line(std::size_t row) const { return table.lines[first + row]; }
  std::string place(std::size_t row) const { return fmt::format("{}:{}", rules.file, line(row)); }
  std::string said(std::size_t row) const { return quoted(Json(std::string(cell(row)))); }
  std::optional<double> number(std::size_t row) const {
    return rules.type == ColumnRules::Type::date ? parse_date(cell(row)) : parse_number(cell(row));
  }
};

/// Numbers found, and the first cell that is neither a number nor missing.
struct Census {
  std::vector<double> numbers;
  std::int64_t count = 0;
  std::int64_t texts = 0;
  std::int64_t commas = 0;  ///< texts that are numbers with a decimal comma
  std::int64_t gaps = 0;
  std::size_t first_text = 0;
};

Census take_census(const ColumnSource& source) {
  Census census;
  census.numbers.assign(source.rows(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t row = 0; row < source.rows(); ++row) {
    if (source.is_missing(row)) {
      ++census.gaps;
    } else if (const std::optional<double> number = source.number(row)) {
      census.numbers[row] = *number;
      ++census.count;
    } else {
      if (census.texts++ == 0) census.first_text = row;
      if (census.commas == census.texts - 1 && has_decimal_comma(source.cell(row))) ++census.commas;
    }
  }
  return census;
}

[[noreturn]] void refuse_column_text(const ColumnSource& source, std::size_t row, const std::string& name) {
  const bool is_date = source.rules.type == ColumnRules::Type::date;
  throw DataError(fmt::format("types.{}", name),
                  fmt::format("column '{}' is declared a {}, but line {} says {}", name, is_date ? "date" : "number",
                              source.line(row), source.said(row)),
                  is_date ? "dates are 2026-01-31 or 2026-01-31 23:59:59; correct it, or list it in `missing`"
                          : "correct it, or list it in `missing`",
                  source.place(row));
}

/// Numbers with decimal commas are no categories, though none of them is a number here.
void refuse_commas(const ColumnSource& source, const std::string& name, const Census& census) {
  if (census.texts == 0 || census.commas < census.texts || source.rules.type == ColumnRules::Type::date) return;
  const std::size_t row = census.first_text;
  throw DataError("path",
                  fmt::format("column '{}' has numbers with decimal commas: line {} says {}", name, source.line(row),
                              source.said(row)),
                  fmt::format("write points, 1.5; if they are names, `categorical: [{}]`", name), source.place(row));
}

/// A column of numbers with a few texts in it is a mistake in the file more often than a category.
void refuse_mixture(const ColumnSource& source, const std::string& name, const Census& census) {
  const std::size_t row = census.first_text;
  if (census.texts > 0 && source.rules.type != ColumnRules::Type::judged) refuse_column_text(source, row, name);
  if (census.texts == 0 || census.count <= census.texts) return;
  throw DataError("path",
                  fmt::format("column '{}' has {} numbers, but line {} says {}", name, census.count, source.line(row),
                              source.said(row)),
                  fmt::format("correct it, list it in `missing`, or `categorical: [{0}]`, or `drop: [{0}]`", name),
                  source.place(row));
}

bool numeric_less(const std::string& a, const std::string& b) {
  const std::optional<double> left = parse_number(a), right = parse_number(b);
  if (left && right && *left != *right) return *left < *right;
  return left.has_value() != right.has_value() ? left.has_value() : a < b;
}

void check_categories(const std::map<std::string_view, std::int32_t>& seen, const ColumnSource& source,
                      const std::string& name) {
  if (seen.size() <= source.rules.most_categories) return;
  throw DataError("path",
                  fmt::format("column '{}' has more than {} different texts: a name, not a category", name,
                              source.rules.most_categories),
                  fmt::format("`drop: [{}]`, or raise `most_categories`", name), source.rules.file);
}

void encode_categories(const ColumnSource& source, Column& column) {
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
    column.codes.push_back(source.is_missing(row) ? kGap : seen[source.cell(row)]);
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

bool has_decimal_comma(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  if (comma == std::string_view::npos || parse_number(cell)) return false;
  std::string whole(cell.substr(0, comma));
  std::erase(whole, '.');  // between thousands
  return parse_number(whole + "." + std::string(cell.substr(comma + 1))).has_value();
}

Column read_column(const ColumnPlace& place, const std::string& name, const ColumnRules& rules) {
  const ColumnSource source(place, rules);
  const bool is_category = rules.type == ColumnRules::Type::category;
  Census census = take_census(source);
  Column column{.name = name, .index = place.index, .is_date = rules.type == ColumnRules::Type::date};
  column.gaps = census.gaps;
  if (census.gaps == std::int64_t(source.rows())) {
    throw DataError("path", fmt::format("column '{}' has no value at all", name), fmt::format("`drop: [{}]`", name),
                    rules.file);
  }
  if (!is_category) {
    refuse_commas(source, name, census);
    refuse_mixture(source, name, census);
  }
  column.is_categorical = is_category || census.texts > 0;
  if (column.is_categorical) {
    encode_categories(source, column);
  } else {
    column.numbers = std::move(census.numbers);
  }
  return column;
}

namespace {

void extend_numbers(Column& column, const ColumnSource& source) {
  for (std::size_t row = 0; row < source.rows(); ++row) {
    const std::optional<double> number = source.number(row);
    if (!number && !source.is_missing(row)) {
      throw DataError(
          source.rules.key,
          fmt::format("column '{}' holds {}, but line {} of '{}' says {}", column.name,
                      column.is_date ? "dates" : "numbers", source.line(row), source.rules.file, source.said(row)),
          "correct it, or list it in `missing`", source.place(row));
    }
    column.numbers.push_back(source.is_missing(row) ? std::numeric_limits<double>::quiet_NaN() : *number);
  }
}

/// Codes of categories by their text, else by their number where they are numbers.
class KnownCategories {
 public:
  KnownCategories(const std::vector<std::string>& categories, bool are_numbers) : are_numbers_(are_numbers) {
    for (const std::string& category : categories) by_text_.emplace(category, std::int32_t(by_text_.size()));
  }

  std::optional<std::int32_t> code_of(std::string_view cell) const {
    const auto found = by_text_.find(cell);
    if (found != by_text_.end()) return found->second;
    const std::optional<double> value = are_numbers_ ? parse_number(cell) : std::nullopt;
    if (!value) return std::nullopt;
    const auto equal = std::find_if(by_text_.begin(), by_text_.end(),
                                    [&](const auto& known) { return parse_number(known.first) == value; });
    return equal == by_text_.end() ? std::nullopt : std::optional(equal->second);
  }

 private:
  std::map<std::string_view, std::int32_t> by_text_;
  bool are_numbers_;
};

void extend_categories(Column& column, const ColumnSource& source, const Unseen& unseen) {
  const KnownCategories known(column.categories, source.rules.are_numbers);
  for (std::size_t row = 0; row < source.rows(); ++row) {
    const std::optional<std::int32_t> code = known.code_of(source.cell(row));
    const bool is_gap = source.is_missing(row);
    const bool is_known = is_gap ? column.gaps > 0 || source.rules.fills_gaps : code.has_value();
    if (!is_known) {
      unseen(fmt::format("column '{}' has {} in line {} of '{}', which no row of the training table has", column.name,
                         is_gap ? "no value" : source.said(row), source.line(row), source.rules.file),
             source.place(row));
    }
    column.codes.push_back(is_gap ? kGap : code.value_or(kUnseen));
  }
}

}  // namespace

void extend_column(Column& column, const ColumnPlace& place, const ColumnRules& rules, const Unseen& unseen) {
  ColumnRules own = rules;
  if (column.is_date) own.type = ColumnRules::Type::date;
  const ColumnSource source(place, own);
  column.is_categorical ? extend_categories(column, source, unseen) : extend_numbers(column, source);
}

double mean_of(const Column& column, const std::vector<std::int64_t>& rows) {
  double sum = 0, count = 0;
  for (const std::int64_t row : rows) {
    if (std::isnan(column.numbers[std::size_t(row)])) continue;
    sum += column.numbers[std::size_t(row)];
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

std::optional<std::int32_t> most_frequent(const Column& column, const std::vector<std::int64_t>& rows) {
  std::vector<std::int64_t> counts(column.categories.size());
  for (const std::int64_t row : rows) {
    const std::int32_t code = column.codes[std::size_t(row)];
    if (code >= 0) ++counts[std::size_t(code)];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  if (most == counts.end() || *most == 0) return std::nullopt;
  return std::int32_t(most - counts.begin());
}

}  // namespace dlrun::dataset
