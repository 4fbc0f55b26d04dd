// SPDX-License-Identifier: Apache-2.0
#include "dataset/replace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "util/random.hpp"
#include "util/value_form.hpp"

namespace dlrun::dataset {

namespace {

using RowList = std::vector<std::int64_t>;

double mean_of(const Column& column, const RowList& rows) {
  double sum = 0, count = 0;
  for (const std::int64_t row : rows) {
    if (std::isnan(column.numbers[std::size_t(row)])) continue;
    sum += column.numbers[std::size_t(row)];
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

/// The first of those that are as frequent; kGap where the rows have none.
std::int32_t mode_of(const Column& column, const RowList& rows) {
  std::vector<std::int64_t> counts(column.categories.size());
  for (const std::int64_t row : rows) {
    const std::int32_t code = column.codes[std::size_t(row)];
    if (code >= 0) ++counts[std::size_t(code)];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  return most == counts.end() || *most == 0 ? kGap : std::int32_t(most - counts.begin());
}

void hold(Column& column, const RowList& train) {
  if (column.is_categorical) {
    column.codes.assign(column.codes.size(), mode_of(column, train));
  } else {
    column.numbers.assign(column.numbers.size(), mean_of(column, train));
  }
}

/// Fisher and Yates.
template <class Cell>
void permute(std::vector<Cell>& cells, const RowList& rows, RandomStream random) {
  for (std::size_t i = rows.size(); i > 1; --i) {
    std::swap(cells[std::size_t(rows[i - 1])], cells[std::size_t(rows[random.below(i)])]);
  }
}

void permute(Column& column, const Rows& splits, std::uint64_t seed) {
  const std::pair<const char*, const RowList*> parts[] = {
      {"train", &splits.train}, {"val", &splits.val}, {"test", &splits.test}};
  for (const auto& [name, rows] : parts) {
    const RandomStream random(seed, {"replace", column.name, name});
    if (column.is_categorical) {
      permute(column.codes, *rows, random);
    } else {
      permute(column.numbers, *rows, random);
    }
  }
}

Column& feature_named(std::vector<Column>& features, const std::string& name) {
  std::vector<std::string> names;
  for (Column& column : features) {
    if (column.name == name) return column;
    names.push_back(column.name);
  }
  throw DataError("replace." + name, fmt::format("there is no feature '{}' to replace", name),
                  hint_for_name(name, names));
}

}  // namespace

Option replace_option() {
  return {.name = "replace",
          .type = "names",
          .text =
              "features that are to say nothing, {age: mean, sex: permute}: by the mean (of a category the most "
              "frequent) of the training split, or permuted within each split"};
}

void replace_features(std::vector<Column>& features, const Json& data, const Rows& splits, std::uint64_t seed) {
  const Json wanted = data.value("replace", Json());
  if (wanted.is_null()) return;
  for (const auto& [name, how] : wanted.items()) {
    Column& column = feature_named(features, name);
    if (how == "mean") {
      hold(column, splits.train);
    } else if (how == "permute") {
      permute(column, splits, seed);
    } else {
      throw DataError("replace." + name, fmt::format("a feature cannot be replaced by {}", quoted(how)),
                      "mean, or permute");
    }
  }
}

}  // namespace dlrun::dataset
