// SPDX-License-Identifier: Apache-2.0
// The table of data kinds and their options: what a `data:` section may say.
#include <fmt/format.h>

#include "dataset/options.hpp"
#include "util/value_form.hpp"

namespace dlrun::dataset {

namespace {

Option share(const char* name, const char* text, Json fallback) {
  return {.name = name, .type = "float", .fallback = std::move(fallback), .low = 0, .high = 1, .text = text};
}

Option stratify() {
  return {.name = "stratify",
          .type = "bool",
          .fallback = true,
          .text = "every class has its share in every split (classification)"};
}

Option split_seed() {
  return {.name = "seed", .type = "int", .low = 0, .text = "draws the split; default: the study's seed"};
}

std::vector<Option> csv_columns() {
  return {{.name = "path", .type = "string", .required = true, .text = "the file; gzip is seen by its first bytes"},
          {.name = "header",
           .type = "bool-or-enum:auto",
           .fallback = "auto",
           .text = "is the first row names? auto: yes where none of its cells is a number"},
          {.name = "delimiter",
           .type = "string",
           .fallback = "auto",
           .text = "one character, or auto: the most frequent of , ; tab | in the first line"},
          {.name = "target",
           .type = "list",
           .required = true,
           .text = "what is predicted: a column by name or number (-1: the last), several for a regression"},
          {.name = "features", .type = "list-or-enum:all", .fallback = "all", .text = "the columns that are inputs"},
          {.name = "drop", .type = "list", .fallback = Json::array(), .text = "columns that are not"},
          {.name = "categorical",
           .type = "list",
           .fallback = Json::array(),
           .text = "columns of numbers that are categories all the same"},
          {.name = "task",
           .type = "enum:auto|classification|regression",
           .fallback = "auto",
           .text = "auto: classification where the target is text or at most 20 different whole numbers"}};
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

DataKind csv() {
  DataKind kind{"csv", csv_columns(), "a table: one example a row, RFC 4180, gzipped or not"};
  for (Option& option : csv_values()) kind.options.push_back(std::move(option));
  kind.options.push_back({.name = "split",
                          .type = "map",
                          .text = "shares of the rows, together 1",
                          .fields = {share("train", "for training", 0.7), share("val", "for decisions", 0.15),
                                     share("test", "for the last word", 0.15), stratify(), split_seed()}});
  return kind;
}

DataKind idx() {
  const auto file = [](const char* name) {
    return Option{.name = name, .type = "string", .text = "one file, instead of `path`"};
  };
  return {"idx",
          {{.name = "path",
            .type = "string",
            .text = "a folder with train-images-idx3-ubyte and its three companions, gzipped or not"},
           file("train_images"),
           file("train_labels"),
           file("test_images"),
           file("test_labels"),
           {.name = "scale",
            .type = "float",
            .fallback = 255.0,
            .low = 1e-30,
            .high = 1e30,
            .text = "pixels are divided by it"},
           {.name = "standardise",
            .type = "bool",
            .fallback = false,
            .text = "pixels to mean 0 and deviation 1 over the training split"},
           {.name = "limit", .type = "int", .low = 2, .text = "use at most this many of the training file's examples"},
           {.name = "limit_test", .type = "int", .low = 1, .text = "use at most this many of the test file's"},
           {.name = "split",
            .type = "map",
            .text = "what of the training file is kept for decisions",
            .fields = {share("val", "share of the training file", 0.1), stratify(), split_seed()}}},
          "images in MNIST's format; its test file is the test split"};
}

}  // namespace

const std::vector<DataKind>& data_kinds() {
  static const std::vector<DataKind> kinds{csv(), idx()};
  return kinds;
}

Json normalised(const Json& data, std::vector<DataError>* sink) {
  Faults faults(sink);
  std::vector<std::string> known;
  for (const DataKind& kind : data_kinds()) {
    known.push_back(kind.op);
    if (!data.is_object() || data.value("op", Json()) != kind.op) continue;
    Json filled = fill_in(data, kind.options, "", faults);
    filled["op"] = kind.op;
    return filled;
  }
  if (!data.is_object() || !data.contains("op")) {
    faults.add({"", "the data section needs 'op', its kind", "e.g. data: {op: csv, path: table.csv, target: -1}"});
    return Json::object();
  }
  const std::string op = data["op"].is_string() ? data["op"].get<std::string>() : "";
  faults.add({"op", fmt::format("there is no data kind {}", quoted(data["op"])), hint_for_name(op, known)});
  return Json::object();
}

}  // namespace dlrun::dataset
