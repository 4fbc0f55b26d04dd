// SPDX-License-Identifier: Apache-2.0
// Options of a series section.
#include "dataset/replace.hpp"
#include "dataset/sequences/series_frame.hpp"

namespace dlrun::dataset {

namespace {

options::Key column_list(const char* name, const char* text) { return key(options::Form::columns, name, text); }

options::Table series_options() {
  return {text("path", "a table or arrays (npy, npz), a row for each time, the earliest first").must().file(),
          boolean("header", "as of csv").or_word("auto").with("auto"),
          text("delimiter", "as of csv").with("auto"),
          column_list("columns", "names of the columns of an npy file; default: c0, c1, ..."),
          column_list("target", "the columns that are predicted").must(),
          column_list("features", "other columns that are inputs").or_word("all").with("all"),
          column_list("drop", "columns that are not").with(Json::array()),
          column_list("time", "the column of times: no input; rows must be in its order").with(Json::array()),
          boolean("own_past", "the targets' past values are inputs too").with(true),
          integer("window", "rows that are seen").from(1).to(1e6).must(),
          integer("horizon", "rows that are predicted behind them").from(1).to(1e6).with(1),
          integer("step", "rows from one window to the next").from(1).to(1e9).with(1),
          column_list("missing", "cells that mean: no value")
              .with(Json::array({"", "NA", "N/A", "NaN", "nan", "null", "?"})),
          choice("fill", "forward: a gap becomes the last value before it", {"none", "forward"}).with("none"),
          boolean("standardise", "inputs to mean 0 and deviation 1 over the training rows").with(true),
          boolean("standardise_targets", "targets likewise; losses are then in deviations, metrics in their own unit")
              .with(false),
          replace_option()};
}

}  // namespace

Format series_format() {
  const auto keys = [](const Json&) {
    return std::vector<FreshKey>{{"path", false, "a series of the same columns: a table or arrays"}};
  };
  return {{"series", "windows over a time series", series_options()},
          SplitBy::order,
          find_path,
          load_series,
          keys,
          fresh_whole<fresh_series>,
          measured_series};
}

}  // namespace dlrun::dataset
