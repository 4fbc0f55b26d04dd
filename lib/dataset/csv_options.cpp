// SPDX-License-Identifier: Apache-2.0
// Options of a csv section.
#include "dataset/csv_load.hpp"
#include "dataset/locate.hpp"
#include "dataset/replace.hpp"

namespace dlrun::dataset {

namespace {

std::vector<Option> csv_columns() {
  return {
      {.name = "path",
       .type = "string",
       .required = true,
       .text = "the file; gzip is seen by its first bytes",
       .is_path = true},
      {.name = "val",
       .type = "string",
       .text = "a second table of the same columns: the validation split",
       .is_path = true},
      {.name = "test", .type = "string", .text = "another: the test split", .is_path = true},
      {.name = "header",
       .type = "bool-or-enum:auto",
       .fallback = "auto",
       .text = "is the first row names? auto: yes where none of its cells is a number"},
      {.name = "delimiter",
       .type = "string",
       .fallback = "auto",
       .text = "one character, or auto: the most frequent of , ; tab | in the first line"},
      {.name = "target",
       .type = "list-or-columns",
       .required = true,
       .text = "what is predicted: a column by name or number (-1: the last), several for a regression; or a map of "
               "several targets, {species: 4, size: [5, 6]}"},
      {.name = "features", .type = "list-or-enum:all", .fallback = "all", .text = "the columns that are inputs"},
      {.name = "drop", .type = "list", .fallback = Json::array(), .text = "columns that are not"},
      {.name = "categorical",
       .type = "list",
       .fallback = Json::array(),
       .text = "columns of numbers that are categories all the same"},
      {.name = "types",
       .type = "names",
       .fallback = Json::object(),
       .text = "features whose type is declared: number, category or date; others are judged by their cells"},
      {.name = "task",
       .type = "enum:auto|classification|regression-or-names",
       .fallback = "auto",
       .text = "auto: classification where the target is text or at most 20 different whole numbers; of several "
               "targets a map, {size: regression}"}};
}

std::vector<Option> csv_values() {
  return {{.name = "missing",
           .type = "list",
           .fallback = Json::array({"", "NA", "N/A", "NaN", "nan", "null", "?"}),
           .text = "cells that mean: no value"},
          {.name = "impute",
           .type = "float-or-enum:mean|median",
           .fallback = "mean",
           .text = "what a missing number becomes, measured on the training split"},
          {.name = "impute_category",
           .type = "enum:own|most_frequent",
           .fallback = "own",
           .text = "what a missing category becomes: one of its own, or the most frequent of the training split"},
          {.name = "unseen",
           .type = "enum:refuse|zero",
           .text = "a category that only `val` or `test` has: an error (default), or all inputs of its column 0"},
          {.name = "indicator",
           .type = "bool",
           .fallback = false,
           .text = "one more input for each column of numbers with gaps: 1 where the value was missing"},
          {.name = "most_categories",
           .type = "int",
           .fallback = 100,
           .low = 2,
           .high = 100000,
           .text = "a column with more different texts is refused: it is a name, not a category"},
          {.name = "scale", .type = "float", .low = 1e-30, .high = 1e30, .text = "numbers are divided by it"},
          {.name = "standardise",
           .type = "bool-or-enum:auto",
           .fallback = "auto",
           .text = "numbers to mean 0 and deviation 1 on the training split; auto: yes, unless scale is given"}};
}

Sources find_csv(const Json& data, const Locations& where) {
  Sources sources;
  for (const char* key : {"path", "val", "test"}) {
    if (!data[key].is_null()) sources.push_back({key, find_file({key, data[key].get<std::string>()}, where)});
  }
  if (sources.size() == 1 && !data["unseen"].is_null())
    throw DataError("unseen", "'unseen' has no effect without a table for 'val' or 'test'", "remove it");
  return sources;
}

}  // namespace

Format csv_format() {
  DataKind kind{"csv", csv_columns(), "a table: one example a row, RFC 4180, gzipped or not"};
  for (Option& option : csv_values()) kind.options.push_back(std::move(option));
  kind.options.push_back(replace_option());
  const auto keys = [](const Json&) { return std::vector<FreshKey>{{"path", false, "a table of the same columns"}}; };
  return {std::move(kind), SplitBy::columns, find_csv, load_csv, keys, fresh_csv, measured_csv};
}

}  // namespace dlrun::dataset
