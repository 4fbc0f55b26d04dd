// SPDX-License-Identifier: Apache-2.0
// New rows for a model that was trained on a table.
#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/csv_load.hpp"
#include "dataset/replace.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::size_t kMostBytes = std::size_t(4) << 30;

/// The frame's columns and what is known of them, without a row.
Frame without_rows(Frame frame) {
  for (Column& column : frame.features) {
    column.numbers.clear();
    column.codes.clear();
  }
  for (FrameTarget& target : frame.targets) {
    target.labels.clear();
    for (Column& column : target.numbers) column.numbers.clear();
  }
  frame.rows = 0;
  frame.lines.clear();
  frame.split_cells.clear();
  frame.parts.clear();
  return frame;
}

/// Features that were to say nothing say nothing here either: each was the same in every row of the training table.
void hold_replaced(Frame& fresh, const Frame& trained, const Json& data) {
  const Json wanted = data.value("replace", Json());
  for (std::size_t k = 0; wanted.is_object() && k < fresh.features.size(); ++k) {
    Column& column = fresh.features[k];
    if (!wanted.contains(column.name)) continue;
    if (replacement("feature", column.name, wanted[column.name]) == Replacement::permute) {
      throw DataError("replace." + column.name,
                      fmt::format("the trial was trained with '{}' permuted, so new rows cannot have it", column.name),
                      "use a trial that was trained on the data as it is");
    }
    column.numbers.assign(column.numbers.size(), column.is_categorical ? 0 : trained.features[k].numbers[0]);
    column.codes.assign(column.codes.size(), column.is_categorical ? trained.features[k].codes[0] : 0);
  }
}

std::vector<std::vector<std::string>> value_names(const Frame& frame) {
  std::vector<std::vector<std::string>> names;
  for (const FrameTarget& target : frame.targets) {
    names.emplace_back();
    for (const Column& column : target.numbers) names.back().push_back(column.name);
  }
  return names;
}

}  // namespace

Fresh fresh_csv(const Json& data, const Sources& sources, const FreshOptions& options, std::uint64_t seed) {
  const CsvTables trained = read_csv_tables(data, sources, seed);
  Json section = data;
  if (!options.unseen.empty()) section["unseen"] = options.unseen;
  Frame frame = without_rows(trained.frame);
  const std::string& file = options.files.at("path");
  const Content content = read_content(file, kMostBytes);
  append_table(frame, section, {"data", content.bytes, file, true, options.needs_targets, options.id});
  hold_replaced(frame, trained.frame, data);
  Fresh fresh;
  fresh.dataset.schema = trained.dataset.schema;
  set_csv_inputs(fresh.dataset, frame, trained.fitted);
  fresh.value_names = value_names(frame);
  if (!options.id.empty()) {
    fresh.id_name = options.id;
    fresh.ids = std::move(frame.split_cells["id"]);
  }
  if (options.needs_targets) {
    fresh.dataset.schema.several.clear();
    set_csv_targets(fresh.dataset, frame);
  } else {
    set_unknown_targets(fresh.dataset, std::int64_t(frame.rows));
  }
  use_all_rows(fresh.dataset);
  return fresh;
}

}  // namespace dlrun::dataset
