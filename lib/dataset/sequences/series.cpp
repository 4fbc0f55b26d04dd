// SPDX-License-Identifier: Apache-2.0
// op: series. A table whose rows follow one another in time: a window of rows predicts the targets of the next ones.
#include <fmt/format.h>

#include "dataset/replace.hpp"
#include "dataset/sequences/series_frame.hpp"
#include "dataset/sequences/series_rows.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::int64_t kMostValues = std::int64_t(1) << 24;  ///< values of one example

/// An example's targets are the columns of a row, row after row.
ValueScale unit_of(const std::vector<Standard>& lines, std::int64_t horizon) {
  ValueScale unit;
  for (std::int64_t ahead = 0; ahead < horizon; ++ahead) {
    for (const Standard& line : lines) {
      unit.scale.push_back(line.deviation);
      unit.shift.push_back(line.mean);
    }
  }
  return unit;
}

}  // namespace

Dataset load_series(const Json& data, const Sources& sources, std::uint64_t seed) {
  const std::string file = sources[0].file.string();
  const SeriesFrame read = read_series(data, sources[0].file);
  const Frame& frame = read.frame;
  const Windows w = windows_of(data, frame, file);
  const Rows rows = window_rows(w, data["split"]);
  const bool is_standardised = data["standardise"].get<bool>(), are_targets = data["standardise_targets"].get<bool>();
  SeriesMatrix inputs(frame), targets(frame);
  std::vector<Standard> lines;  // one for each column of the target
  const auto add = [&](SeriesMatrix& to, Column column, bool is_scaled) {
    const Standard line = is_scaled ? standard_of(column.numbers, w.train_end) : Standard();
    if (is_scaled) line.apply(column.numbers);
    to.add_column(column.name, column.numbers);
    return line;
  };
  for (Column& column : targets_of(data, frame, file)) lines.push_back(add(targets, std::move(column), are_targets));
  std::vector<Column> columns = inputs_of(data, frame, file);
  replace_features(columns, data, parts_of(w), seed);
  for (Column& column : columns) add(inputs, std::move(column), is_standardised);
  if (inputs.names().empty())
    throw DataError("own_past", "no column is left as an input", "name `features`, or leave `own_past` on");
  const auto window = data["window"].get<std::int64_t>(), horizon = data["horizon"].get<std::int64_t>();
  Dataset dataset;
  dataset.schema.inputs = {{"x", {window, std::int64_t(inputs.names().size())}}};
  dataset.schema.targets = horizon * std::int64_t(targets.names().size());
  if (dataset.schema.targets > kMostValues || window * std::int64_t(inputs.names().size()) > kMostValues)
    throw DataError("window", "an example would have more than 2^24 numbers", "a smaller window or horizon");
  if (are_targets) dataset.schema.unit = unit_of(lines, horizon);
  dataset.schema.sha256 = content_hash(data, sources, {read.sha256});
  dataset.inputs = {inputs.windows(w, 0, window)};
  dataset.targets = targets.windows(w, window, horizon);
  finish_splits(dataset, rows);
  return dataset;
}

namespace {

/// @param data  section, where columns are inputs, of which some may be held; else null
Json columns_json(const std::vector<Column>& columns, std::int64_t train, bool is_standardised, const Json& data) {
  Json json = Json::array();
  for (const Column& column : columns) {
    const Standard line = is_standardised ? standard_of(column.numbers, train) : Standard();
    json.push_back({{"name", column.name}, {"shift", line.mean}, {"deviation", line.deviation}});
    if (data.is_object() && is_held(data, column.name)) json.back()["constant"] = column.numbers.front();
  }
  return json;
}

}  // namespace

Json measured_series(const Json& data, const Sources& sources, std::uint64_t seed) {
  const std::string file = sources[0].file.string();
  const Frame frame = read_series(data, sources[0].file).frame;
  const Windows w = windows_of(data, frame, file);
  const std::vector<Column> targets = targets_of(data, frame, file);
  std::vector<Column> inputs = inputs_of(data, frame, file);
  replace_features(inputs, data, parts_of(w), seed);
  return {{"columns", columns_json(inputs, w.train_end, data["standardise"].get<bool>(), data)},
          {"target_columns", columns_json(targets, w.train_end, data["standardise_targets"].get<bool>(), Json())}};
}

}  // namespace dlrun::dataset
