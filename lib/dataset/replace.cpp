// SPDX-License-Identifier: Apache-2.0
#include "dataset/replace.hpp"

#include <fmt/format.h>

#include <utility>

#include "util/hints.hpp"
#include "util/random.hpp"
#include "util/shuffle.hpp"

namespace dlrun::dataset {

namespace {

using RowList = std::vector<std::int64_t>;

void hold(Column& column, const RowList& train) {
  if (column.is_categorical) {
    column.codes.assign(column.codes.size(), most_frequent(column, train).value_or(kGap));
  } else {
    column.numbers.assign(column.numbers.size(), mean_of(column, train));
  }
}

void permute(Column& column, const Rows& splits, std::uint64_t seed) {
  permute_within(splits, seed, column.name, [&](std::int64_t a, std::int64_t b) {
    if (column.is_categorical) {
      std::swap(column.codes[std::size_t(a)], column.codes[std::size_t(b)]);
    } else {
      std::swap(column.numbers[std::size_t(a)], column.numbers[std::size_t(b)]);
    }
  });
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

options::Key replace_option() {
  return key(options::Form::names, "replace",
             "features that are to say nothing, {age: mean, sex: permute}: by the mean (of a category the most "
             "frequent) of the training split, or permuted within each split");
}

Replacement replacement(const char* what, const std::string& name, const Json& how) {
  if (how == "mean") return Replacement::mean;
  if (how == "permute") return Replacement::permute;
  throw DataError("replace." + name, fmt::format("a {} cannot be replaced by {}", what, quoted(how)),
                  "mean, or permute");
}

bool is_held(const Json& data, const std::string& name) {
  const Json wanted = data.value("replace", Json());
  return wanted.is_object() && wanted.value(name, Json()) == "mean";
}

void permute_within(const Rows& splits, std::uint64_t seed, const std::string& name,
                    const std::function<void(std::int64_t, std::int64_t)>& swap) {
  const std::pair<const char*, const RowList*> parts[] = {
      {"train", &splits.train}, {"val", &splits.val}, {"test", &splits.test}};
  for (const auto& [split, rows] : parts) {
    shuffle(rows->size(), RandomStream(seed, {"replace", name, split}),
            [&, list = rows](std::size_t i, std::size_t j) { swap((*list)[i], (*list)[j]); });
  }
}

void replace_features(std::vector<Column>& features, const Json& data, const Rows& splits, std::uint64_t seed) {
  const Json wanted = data.value("replace", Json());
  if (wanted.is_null()) return;
  for (const auto& [name, how] : wanted.items()) {
    Column& column = feature_named(features, name);
    if (replacement("feature", name, how) == Replacement::mean) {
      hold(column, splits.train);
    } else {
      permute(column, splits, seed);
    }
  }
}

}  // namespace dlrun::dataset
