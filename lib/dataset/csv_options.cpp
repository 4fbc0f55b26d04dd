// SPDX-License-Identifier: Apache-2.0
// Options of a csv section.
#include "dataset/csv_load.hpp"
#include "dataset/locate.hpp"
#include "dataset/replace.hpp"

namespace dlrun::dataset {

namespace {

options::Table csv_columns() {
  return {text("path", "the file; gzip is seen by its first bytes").must().file(),
          text("val", "a second table of the same columns: the validation split").file(),
          text("test", "another: the test split").file(),
          boolean("header", "is the first row names? auto: yes where none of its cells is a number")
              .or_word("auto")
              .with("auto"),
          text("delimiter", "one character, or auto: the most frequent of , ; tab | in the first line").with("auto"),
          key(options::Form::columns, "target",
              "what is predicted: a column by name or number (-1: the last), several for a regression; or a map of "
              "several targets, {species: 4, size: [5, 6]}")
              .or_a(options::Form::named_columns)
              .must(),
          key(options::Form::columns, "features", "the columns that are inputs").or_word("all").with("all"),
          key(options::Form::columns, "drop", "columns that are not").with(Json::array()),
          key(options::Form::columns, "categorical", "columns of numbers that are categories all the same")
              .with(Json::array()),
          key(options::Form::names, "types",
              "features whose type is declared: number, category or date; others are judged by their cells")
              .with(Json::object()),
          choice("task",
                 "auto: classification where the target is text or at most 20 different whole numbers; of several "
                 "targets a map, {size: regression}",
                 {"auto", "classification", "regression"})
              .or_a(options::Form::names)
              .with("auto")};
}

options::Table csv_values() {
  return {
      key(options::Form::columns, "missing", "cells that mean: no value")
          .with(Json::array({"", "NA", "N/A", "NaN", "nan", "null", "?"})),
      real("impute", "what a missing number becomes, measured on the training split")
          .or_word("mean")
          .or_word("median")
          .with("mean"),
      choice("impute_category",
             "what a missing category becomes: one of its own, or the most frequent of the training split",
             {"own", "most_frequent"})
          .with("own"),
      choice("unseen", "a category that only `val` or `test` has: an error (default), or all inputs of its column 0",
             {"refuse", "zero"}),
      boolean("indicator", "one more input for each column of numbers with gaps: 1 where the value was missing")
          .with(false),
      integer("most_categories", "a column with more different texts is refused: it is a name, not a category")
          .from(2)
          .to(100000)
          .with(100)};
}

Sources find_csv(const Json& data, const Locations& where) {
  Sources sources = find_tables(data, where);
  if (sources.size() == 1 && !data["unseen"].is_null())
    throw DataError("unseen", "'unseen' has no effect without a table for 'val' or 'test'", "remove it");
  return sources;
}

}  // namespace

options::Table scale_options() {
  return {real("scale", "numbers are divided by it").from(1e-30).to(1e30),
          boolean("standardise",
                  "numbers to mean 0 and deviation 1 on the training split; auto: yes, unless scale is given")
              .or_word("auto")
              .with("auto"),
          boolean("standardise_targets",
                  "likewise the numbers that are predicted (default: no); losses are then in deviations, metrics in "
                  "their own unit")};
}

Sources find_tables(const Json& data, const Locations& where) {
  Sources sources;
  for (const char* key : {"path", "val", "test"}) {
    if (!data[key].is_null()) sources.push_back({key, find_file({key, data[key].get<std::string>()}, where)});
  }
  return sources;
}

Format csv_format() {
  options::Variant kind{"csv", "a table: one example a row, RFC 4180, gzipped or not", csv_columns()};
  for (options::Key& option : csv_values()) kind.table.push_back(std::move(option));
  for (options::Key& option : scale_options()) kind.table.push_back(std::move(option));
  kind.table.push_back(replace_option());
  const auto keys = [](const Json&) { return std::vector<FreshKey>{{"path", false, "a table of the same columns"}}; };
  return {std::move(kind), SplitBy::columns, find_csv, load_csv, keys, fresh_csv, measured_csv};
}

}  // namespace dlrun::dataset
