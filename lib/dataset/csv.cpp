// SPDX-License-Identifier: Apache-2.0
// op: csv. A table becomes float32 inputs and labels or values.
#include <cmath>

#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/csv_load.hpp"
#include "dataset/replace.hpp"
#include "dataset/split_section.hpp"
#include "dataset/targets.hpp"

namespace dlrun::dataset {

namespace {

std::vector<float> csv_values(const FrameTarget& numbers, const Frame& frame) {
  std::vector<float> values;
  for (std::size_t row = 0; row < frame.rows; ++row) {
    for (const Column& target : numbers.numbers) {
      values.push_back(static_cast<float>(target.numbers[row]));
      if (std::isfinite(values.back())) continue;
      throw DataError("target",
                      fmt::format("the target '{}' has a number in line {} that float32 cannot hold", target.name,
                                  frame.lines[row]),
                      "scale it in the file", frame.place(row));
    }
  }
  return values;
}

TargetValues target_of(const FrameTarget& from, const Frame& frame) {
  Target target{from.name, std::int64_t(from.classes.size()), 1, {}, from.classes};
  if (target.classes > 0) return {std::move(target), Array::of(from.labels)};
  target.width = std::int64_t(from.numbers.size());
  const std::int64_t width = target.width;
  return {std::move(target), Array::of(csv_values(from, frame), width)};
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

}  // namespace

CsvTables read_tables(const Json& data, const Sources& sources, std::uint64_t seed, const TableFiles& files) {
  Tables tables = read_rows(files, sources);
  CsvTables read;
  Dataset& dataset = read.dataset;
  dataset.schema.sha256 = content_hash(data, sources, tables.hashes);
  set_csv_targets(dataset, tables.frame);
  finish_splits(dataset, rows_of(data, tables, seed));
  replace_features(tables.frame.features, data, {dataset.train, dataset.val, dataset.test}, seed);
  read.fitted = fit(tables.frame, dataset.train, files.section);
  read.frame = std::move(tables.frame);
  return read;
}

void set_csv_targets(Dataset& dataset, const Frame& frame) {
  std::vector<TargetValues> targets;
  for (const FrameTarget& target : frame.targets) targets.push_back(target_of(target, frame));
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

/// Whether the column was the same in every row, for an ablation.
bool is_held(const Json& data, const std::string& name) {
  const Json replace = data.value("replace", Json());
  return replace.is_object() && replace.value(name, Json()) == "mean";
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
  return {{"columns", columns}, {"missing", section["missing"]}};
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
