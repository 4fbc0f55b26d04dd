// SPDX-License-Identifier: Apache-2.0
// op: csv. A table becomes float32 inputs and labels or values.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/csv_load.hpp"
#include "dataset/replace.hpp"
#include "dataset/split_section.hpp"
#include "dataset/targets.hpp"

namespace dlrun::dataset {

namespace {

/// @param fits  one for each of the columns, or none
std::vector<float> csv_values(const FrameTarget& numbers, const std::vector<FittedColumn>& fits, const Frame& frame) {
  std::vector<float> values;
  for (std::size_t row = 0; row < frame.rows; ++row) {
    for (std::size_t k = 0; k < numbers.numbers.size(); ++k) {
      const Column& target = numbers.numbers[k];
      const double number = target.numbers[row];
      values.push_back(static_cast<float>(fits.empty() ? number : (number - fits[k].shift) / fits[k].deviation));
      if (std::isfinite(values.back())) continue;
      throw DataError("target",
                      fmt::format("the target '{}' has a number in line {} that float32 cannot hold", target.name,
                                  frame.lines[row]),
                      "scale it in the file", frame.place(row));
    }
  }
  return values;
}

ValueScale unit_of(const std::vector<FittedColumn>& fits) {
  ValueScale unit;
  for (const FittedColumn& fit : fits) {
    unit.scale.push_back(fit.deviation);
    unit.shift.push_back(fit.shift);
  }
  return unit;
}

TargetValues target_of(const FrameTarget& from, const std::vector<FittedColumn>& fits, const Frame& frame) {
  Target target{from.name, std::int64_t(from.classes.size()), 1, {}, from.classes, unit_of(fits)};
  if (target.classes > 0) return {std::move(target), Array::of(from.labels)};
  target.width = std::int64_t(from.numbers.size());
  const std::int64_t width = target.width;
  return {std::move(target), Array::of(csv_values(from, fits, frame), width)};
}

/// The tables of a section as one frame, and the rows of each.
struct Tables {
  Frame frame;
  Division division;
  std::vector<std::string> hashes;
};

Tables read_rows(const TableFiles& files, const Sources& sources) {
  Tables tables;
  for (const Source& source : sources) {
    const Content content = read_table_text(source.file, kMostTableBytes);
    const std::size_t before = tables.frame.rows;
    const Sheet sheet = files.read(source, content.bytes, before > 0 ? &tables.frame : nullptr);
    if (source.key == "path") {
      tables.frame = frame_of(files.section, sheet);
      tables.hashes.push_back(content.sha256);
    } else {
      append_sheet(tables.frame, files.section, {source.key}, sheet);
      tables.hashes.push_back(source.key + " " + content.sha256);
    }
    const auto rows = std::int64_t(tables.frame.rows - before);
    (source.key == "path"  ? tables.division.open
     : source.key == "val" ? tables.division.val
                           : tables.division.test) = rows;
  }
  return tables;
}

Rows rows_of(const Json& data, const Tables& tables, std::uint64_t seed) {
  const Frame& frame = tables.frame;
  const auto rows = std::int64_t(frame.rows);
  if (tables.division.open == rows)
    return draw_split(data, {rows, frame.labels(), frame.split_cells, frame.lines}, seed);
  Division division = tables.division;
  division.labels = frame.labels();
  if (!division.labels.empty()) division.labels.resize(std::size_t(division.open));
  division.cells = frame.split_cells;
  division.lines = frame.lines;
  return draw_division(data, division, seed);
}

TargetFits fit_targets(const Frame& frame, const std::vector<std::int64_t>& train, const Json& data) {
  TargetFits fits;
  if (data.value("standardise_targets", Json()) != true) return fits;
  for (const FrameTarget& target : frame.targets) {
    fits.emplace_back();
    for (const Column& column : target.numbers) fits.back().push_back(fit_target(column, train));
  }
  if (std::all_of(fits.begin(), fits.end(), [](const auto& columns) { return columns.empty(); }))
    throw DataError("standardise_targets", "'standardise_targets' has no effect: what is predicted is a class",
                    "remove it");
  return fits;
}

}  // namespace

CsvTables read_tables(const Json& data, const Sources& sources, std::uint64_t seed, const TableFiles& files) {
  Tables tables = read_rows(files, sources);
  CsvTables read;
  Dataset& dataset = read.dataset;
  dataset.schema.sha256 = content_hash(data, sources, tables.hashes);
  Rows rows = rows_of(data, tables, seed);
  read.targets = fit_targets(tables.frame, rows.train, files.section);
  set_csv_targets(dataset, tables.frame, read.targets);
  finish_splits(dataset, std::move(rows));
  replace_features(tables.frame.features, data, {dataset.train, dataset.val, dataset.test}, seed);
  read.fitted = fit(tables.frame, dataset.train, files.section);
  read.frame = std::move(tables.frame);
  return read;
}

void set_csv_targets(Dataset& dataset, const Frame& frame, const TargetFits& fits) {
  std::vector<TargetValues> targets;
  for (std::size_t t = 0; t < frame.targets.size(); ++t)
    targets.push_back(target_of(frame.targets[t], fits.empty() ? std::vector<FittedColumn>() : fits[t], frame));
  set_targets(dataset, std::move(targets));
}

void set_csv_inputs(Dataset& dataset, const Frame& frame, const std::vector<FittedColumn>& fitted) {
  Encoded encoded = encode(frame, fitted);
  const auto width = static_cast<std::int64_t>(encoded.names.size());
  dataset.schema.inputs = {{"x", {width}}};
  dataset.inputs = {Array::of(std::move(encoded.inputs), width)};
  dataset.schema.features = std::move(encoded.names);
  dataset.schema.columns = std::move(encoded.columns);
}

namespace {

Json source_json(const FittedColumn& fitted) {
  Json json{{"name", fitted.name}};
  if (fitted.is_categorical) {
    json["categories"] = fitted.categories;
    if (fitted.gap_code >= 0) json["missing_is"] = fitted.categories[std::size_t(fitted.gap_code)];
  } else {
    json.update(
        {{"fill", fitted.fill}, {"divisor", fitted.divisor}, {"shift", fitted.shift}, {"deviation", fitted.deviation}});
    if (fitted.is_date) json["unit"] = "days since 1970-01-01";
  }
  if (fitted.has_gap_input) json["has_missing_input"] = true;
  return json;
}

Json first_cell(const Column& column) {
  if (!column.is_categorical) return column.numbers.at(0);
  return column.codes.at(0) < 0 ? Json() : Json(column.categories[std::size_t(column.codes[0])]);
}

}  // namespace

Json measured_columns(const CsvTables& read, const Json& section) {
  Json columns = Json::array();
  for (std::size_t k = 0; k < read.fitted.size(); ++k) {
    columns.push_back(source_json(read.fitted[k]));
    if (is_held(section, read.fitted[k].name)) columns.back()["constant"] = first_cell(read.frame.features[k]);
  }
  Json json{{"columns", columns}, {"missing", section["missing"]}};
  for (const std::vector<FittedColumn>& target : read.targets) {
    for (const FittedColumn& column : target)
      json["target_columns"].push_back(
          {{"name", column.name}, {"shift", column.shift}, {"deviation", column.deviation}});
  }
  return json;
}

Dataset with_inputs(CsvTables read) {
  set_csv_inputs(read.dataset, read.frame, read.fitted);
  return std::move(read.dataset);
}

TableFiles csv_files(const Json& data) {
  return {data, [data](const Source& source, std::string_view text, const Frame* before) {
            Json section = data;
            if (before != nullptr) section["header"] = before->has_header;
            return read_sheet(section, text, source.file.string());
          }};
}

Dataset load_csv(const Json& data, const Sources& sources, std::uint64_t seed) {
  return with_inputs(read_tables(data, sources, seed, csv_files(data)));
}

Json measured_csv(const Json& data, const Sources& sources, std::uint64_t seed) {
  return measured_columns(read_tables(data, sources, seed, csv_files(data)), data);
}

}  // namespace dlrun::dataset
