// SPDX-License-Identifier: Apache-2.0
// Options of a series section.
#include "dataset/replace.hpp"
#include "dataset/sequences/series_frame.hpp"

namespace dlrun::dataset {

namespace {

Option column_list(const char* name, Json fallback, bool required, const char* text) {
  return {.name = name, .type = "list", .fallback = std::move(fallback), .required = required, .text = text};
}

std::vector<Option> series_options() {
  return {
      {.name = "path",
       .type = "string",
       .required = true,
       .text = "a table or arrays (npy, npz), a row for each time, the earliest first",
       .is_path = true},
      {.name = "header", .type = "bool-or-enum:auto", .fallback = "auto", .text = "as of csv"},
      {.name = "delimiter", .type = "string", .fallback = "auto", .text = "as of csv"},
      {.name = "columns", .type = "list", .text = "names of the columns of an npy file; default: c0, c1, ..."},
      column_list("target", nullptr, true, "the columns that are predicted"),
      {.name = "features", .type = "list-or-enum:all", .fallback = "all", .text = "other columns that are inputs"},
      column_list("drop", Json::array(), false, "columns that are not"),
      column_list("time", Json::array(), false, "the column of times: no input; rows must be in its order"),
      {.name = "own_past", .type = "bool", .fallback = true, .text = "the targets' past values are inputs too"},
      {.name = "window", .type = "int", .required = true, .low = 1, .high = 1e6, .text = "rows that are seen"},
      {.name = "horizon",
       .type = "int",
       .fallback = 1,
       .low = 1,
       .high = 1e6,
       .text = "rows that are predicted behind them"},
      {.name = "step", .type = "int", .fallback = 1, .low = 1, .high = 1e9, .text = "rows from one window to the next"},
      {.name = "missing",
       .type = "list",
       .fallback = Json::array({"", "NA", "N/A", "NaN", "nan", "null", "?"}),
       .text = "cells that mean: no value"},
      {.name = "fill",
       .type = "enum:none|forward",
       .fallback = "none",
       .text = "forward: a gap becomes the last value before it"},
      {.name = "standardise",
       .type = "bool",
       .fallback = true,
       .text = "inputs to mean 0 and deviation 1 over the training rows"},
      {.name = "standardise_targets",
       .type = "bool",
       .fallback = false,
       .text = "targets likewise; losses are then in deviations"},
      replace_option()};
}

}  // namespace

Format series_format() {
  const auto keys = [](const Json&) {
    return std::vector<FreshKey>{{"path", false, "a series of the same columns: a table or arrays"}};
  };
  return {{"series", series_options(), "windows over a time series"},
          SplitBy::order,
          find_path,
          load_series,
          keys,
          fresh_whole<fresh_series>,
          measured_series};
}

}  // namespace dlrun::dataset
