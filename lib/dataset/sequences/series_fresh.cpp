// SPDX-License-Identifier: Apache-2.0
// New rows of a series for a model that was trained on one.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dataset/bytes.hpp"
#include "dataset/replace.hpp"
#include "dataset/sequences/series_columns.hpp"
#include "dataset/sequences/series_frame.hpp"
#include "dataset/sequences/series_rows.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::size_t kMostSeriesFreshBytes = std::size_t(4) << 30;

/// Measures of a column from training.
struct SeriesFit {
  std::string name;
  Standard line;
  std::optional<double> held;  ///< value of every row, where an ablation holds the column
};

struct Fitted {
  std::vector<SeriesFit> inputs, targets;
  std::vector<std::string> names;  ///< names of all columns of the training file
  bool has_names = true;           ///< false: they are numbers, c0, c1, …
  std::string time;                ///< column; empty: none
  Schema schema;
};

Replacement replaced(const Json& data, const std::string& name) {
  const Replacement how = replacement("feature", name, data["replace"][name]);
  if (how == Replacement::mean) return how;
  throw DataError("replace." + name,
                  fmt::format("the trial was trained with '{}' permuted, so new rows cannot have it", name),
                  "use a trial that was trained on the data as it is");
}

SeriesFit fitted(const Column& column, const Json& data, std::int64_t train, bool is_standardised, bool is_input) {
  SeriesFit result{column.name, is_standardised ? standard_of(column.numbers, train) : Standard(), {}};
  const Json wanted = data.value("replace", Json());
  if (is_input && wanted.is_object() && wanted.contains(column.name)) {
    replaced(data, column.name);
    result.held = column.numbers.front();
  }
  return result;
}

std::string name_at(const std::vector<std::string>& names, const Json& wanted) {
  if (wanted.is_string()) return wanted;
  const auto index = wanted.get<std::int64_t>();
  return names[std::size_t(index < 0 ? index + std::int64_t(names.size()) : index)];
}

bool has_names(const Json& data, const Frame& frame, SeriesKind kind) {
  if (kind == SeriesKind::array) return !data["columns"].is_null();
  return kind == SeriesKind::archive || frame.has_header;
}

Fitted fit(const Json& data, const Sources& sources, std::uint64_t seed) {
  const std::string file = sources[0].file.string();
  const Frame frame = read_series(data, sources[0].file).frame;
  const Windows w = windows_of(data, frame, file);
  Fitted result;
  for (const Column& column : targets_of(data, frame, file))
    result.targets.push_back(fitted(column, data, w.train_end, data["standardise_targets"].get<bool>(), false));
  std::vector<Column> inputs = inputs_of(data, frame, file);
  replace_features(inputs, data, parts_of(w), seed);
  for (const Column& column : inputs)
    result.inputs.push_back(fitted(column, data, w.train_end, data["standardise"].get<bool>(), true));
  result.names = frame.names;
  result.has_names = has_names(data, frame, series_kind(sources[0].file));
  if (!data["time"].empty()) result.time = name_at(frame.names, data["time"][0]);
  result.schema = load_series(data, sources, seed).schema;
  return result;
}

/// A column of the new file by its name there. @throws DataError where there is none.
std::size_t index_of(const std::string& name, const std::string& what, const Sheet& sheet) {
  const auto found = std::find(sheet.names.begin(), sheet.names.end(), name);
  if (found != sheet.names.end()) return std::size_t(found - sheet.names.begin());
  throw DataError("data", fmt::format("'{}' has no column '{}', which is {}", sheet.file, name, what),
                  hint_for_name(name, sheet.names), sheet.file);
}

void check_width(const Sheet& sheet, const Fitted& fitted) {
  if (fitted.has_names || sheet.names.size() == fitted.names.size()) return;
  throw DataError(
      "data",
      fmt::format("'{}' has {} columns, but the training file {}", sheet.file, sheet.names.size(), fitted.names.size()),
      "columns without names: all of them, in the same order", sheet.file);
}

/// The columns that are needed, as features of a frame.
std::vector<Column> wanted(const Fitted& fitted, const FreshOptions& options, const Sheet& sheet) {
  check_width(sheet, fitted);
  std::vector<Column> columns;
  const auto add = [&](const SeriesFit& column, const char* what) {
    const auto is_it = [&](const Column& c) { return c.name == column.name; };
    if (std::any_of(columns.begin(), columns.end(), is_it)) return;
    columns.push_back({.name = column.name, .index = index_of(column.name, what, sheet)});
  };
  for (const SeriesFit& input : fitted.inputs) add(input, "an input of the model");
  for (const SeriesFit& target : fitted.targets) {
    if (options.needs_targets) add(target, "the target");
  }
  return columns;
}

Frame from_arrays(SeriesColumns columns, const Fitted& fitted, const FreshOptions& options) {
  Frame frame;
  frame.unit = "row";
  frame.rows = columns.values.front().size();
  frame.parts = {{0, columns.sheet.file}};
  for (std::size_t row = 0; row < frame.rows; ++row) frame.lines.push_back(std::int64_t(row));
  if (!fitted.time.empty())
    frame.split_cells["time"] =
        times_of(columns.values[index_of(fitted.time, "the time", columns.sheet)], columns.sheet.file);
  frame.features = wanted(fitted, options, columns.sheet);
  for (Column& column : frame.features) column.numbers = columns.values[column.index];
  return frame;
}

Frame fresh_from_table(const Json& data, const std::string& file, const Fitted& fitted, const FreshOptions& options) {
  const Content content = read_table_text(file, kMostSeriesFreshBytes);
  Json section = data;
  if (!fitted.has_names) section["header"] = false;
  const Sheet sheet = read_sheet(section, content.bytes, file);
  Frame frame;
  frame.rows = sheet.rows();
  frame.parts = {{0, file}};
  frame.lines.assign(sheet.table.lines.begin() + std::ptrdiff_t(sheet.first), sheet.table.lines.end());
  if (!fitted.time.empty()) {
    const std::size_t time = index_of(fitted.time, "the time", sheet);
    for (std::size_t row = sheet.first; row < sheet.table.rows(); ++row)
      frame.split_cells["time"].emplace_back(sheet.table.cell(row, time));
  }
  ColumnRules rules = column_rules(data, file);
  rules.key = "data";
  frame.features = wanted(fitted, options, sheet);
  for (Column& column : frame.features) extend_column(column, {sheet.table, column.index, sheet.first}, rules, {});
  return frame;
}

void require_targets(const Fitted& fitted, const Frame& frame) {
  for (const Column& column : frame.features) {
    const auto is_it = [&](const SeriesFit& target) { return target.name == column.name; };
    if (std::any_of(fitted.targets.begin(), fitted.targets.end(), is_it)) require_whole(column, frame);
  }
}

Frame read_new_series(const Json& data, const std::string& file, const Fitted& fitted, const FreshOptions& options) {
  const SeriesKind kind = series_kind(file);
  Frame frame = kind == SeriesKind::array     ? from_arrays(array_columns(file, data["columns"]), fitted, options)
                : kind == SeriesKind::archive ? from_arrays(archive_columns(file), fitted, options)
                                              : fresh_from_table(data, file, fitted, options);
  check_order(frame);
  if (options.needs_targets) require_targets(fitted, frame);
  for (Column& column : frame.features) column.numbers = filled(column, data, frame, file);
  return frame;
}

SeriesMatrix matrix_of(const std::vector<SeriesFit>& columns, const Frame& frame) {
  SeriesMatrix matrix(frame);
  for (const SeriesFit& column : columns) {
    const auto found = std::find_if(frame.features.begin(), frame.features.end(),
                                    [&](const Column& c) { return c.name == column.name; });
    std::vector<double> numbers = found->numbers;
    if (column.held) numbers.assign(numbers.size(), *column.held);
    column.line.apply(numbers);
    matrix.add_column(column.name, numbers);
  }
  return matrix;
}

Windows windows_over(const Frame& frame, const Json& data, const std::string& file, bool needs_targets) {
  Windows w{.items = std::int64_t(frame.rows), .need = data["window"].get<std::int64_t>()};
  w.step = data["step"].get<std::int64_t>();
  if (needs_targets) w.need += data["horizon"].get<std::int64_t>();
  if (w.items >= w.need) return w;
  throw DataError("data",
                  fmt::format("a window{} {} rows, but '{}' has {}", needs_targets ? " and its horizon need" : " needs",
                              w.need, file, w.items),
                  "earlier rows, which the model looks back at, must be there too", file);
}

/// Number and time of the first row that each window predicts; behind the last row of the file no time is known.
std::vector<IdColumn> ids_of(const Windows& w, const Json& data, const Frame& frame, const std::string& time) {
  IdColumn rows{"row", {}, true}, times{time, {}};
  for (std::int64_t i = 0; i < w.count(); ++i) {
    const std::int64_t row = i * w.step + data["window"].get<std::int64_t>();
    rows.cells.push_back(fmt::format("{}", row));
    if (!time.empty())
      times.cells.push_back(row < w.items ? frame.split_cells.at("time")[std::size_t(row)] : std::string());
  }
  if (time.empty()) return {std::move(rows)};
  return {std::move(rows), std::move(times)};
}

/// Name of every number of the target [horizon, columns].
std::vector<std::string> value_names(const Fitted& fitted, const Json& data) {
  const auto horizon = data["horizon"].get<std::int64_t>();
  std::vector<std::string> names;
  for (std::int64_t ahead = 1; ahead <= horizon; ++ahead) {
    for (const SeriesFit& target : fitted.targets)
      names.push_back(horizon == 1 ? target.name : fmt::format("{}_{}", target.name, ahead));
  }
  return names;
}

}  // namespace

Fresh fresh_series(const Json& data, const Sources& sources, const FreshOptions& options, std::uint64_t seed) {
  const Fitted fitted = fit(data, sources, seed);
  const std::string& file = options.files.at("path");
  const Frame frame = read_new_series(data, file, fitted, options);
  const Windows w = windows_over(frame, data, file, options.needs_targets);
  const auto window = data["window"].get<std::int64_t>();
  Fresh fresh{.dataset = {.schema = fitted.schema}};
  fresh.dataset.inputs = {matrix_of(fitted.inputs, frame).windows(w, 0, window)};
  if (options.needs_targets)
    fresh.dataset.targets = matrix_of(fitted.targets, frame).windows(w, window, data["horizon"].get<std::int64_t>());
  else
    set_unknown_targets(fresh.dataset, w.count());
  fresh.ids = ids_of(w, data, frame, fitted.time);
  fresh.value_names = {value_names(fitted, data)};
  use_all_rows(fresh.dataset);
  return fresh;
}

}  // namespace dlrun::dataset
