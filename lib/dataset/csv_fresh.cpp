// SPDX-License-Identifier: Apache-2.0
// New rows for a model that was trained on a table.
#include <fmt/format.h>

#include <algorithm>

#include "dataset/csv_load.hpp"
#include "dataset/replace.hpp"

namespace dlrun::dataset {

namespace {

/// The columns and what is known of them, with the first cell of each: one that was held has that in every row.
Frame first_row(Frame frame) {
  for (Column& column : frame.features) {
    column.numbers = {column.numbers.begin(),
                      column.numbers.begin() + std::min<std::ptrdiff_t>(column.numbers.size(), 1)};
    column.codes = {column.codes.begin(), column.codes.begin() + std::min<std::ptrdiff_t>(column.codes.size(), 1)};
  }
  for (FrameTarget& target : frame.targets) {
    target.labels = {};
    for (Column& column : target.numbers) column.numbers = {};
  }
  frame.rows = 0;
  frame.lines = {};
  frame.split_cells = {};
  frame.parts = {};
  return frame;
}

Frame without_rows(Frame frame) {
  for (Column& column : frame.features) {
    column.numbers.clear();
    column.codes.clear();
  }
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

class CsvStream final : public FreshStream {
 public:
  CsvStream(FreshTable table, const Json& data, const std::string& file)
      : table_(std::move(table)), data_(data), file_(file), blocks_(file, delimiter_of(data)) {}

  std::optional<Fresh> next() override {
    if (!read_rows()) return std::nullopt;
    return table_.encoded(sheet_);
  }

 private:
  /// @return false: there are no more
  bool read_rows() {
    const bool is_first = sheet_.names.empty();
    const Frame& columns = table_.columns();
    const std::int64_t width = std::int64_t(columns.names.size() + table_.fitted().size()) * 32;
    Table table = blocks_.next(std::size_t(rows_of_part(width)) + (is_first && columns.has_header ? 1 : 0));
    if (is_first) {
      sheet_ = fresh_sheet(std::move(table), columns, data_, file_);
      return true;
    }
    sheet_.table = std::move(table);
    sheet_.first = 0;
    return sheet_.rows() > 0;
  }

  FreshTable table_;
  Json data_;
  std::string file_;
  CsvBlocks blocks_;
  Sheet sheet_;  ///< the rows that are read; no names: nothing was read yet
};

}  // namespace

FreshTable::FreshTable(CsvTables trained, Json section, FreshOptions options)
    : schema_(std::move(trained.dataset.schema)),
      fitted_(std::move(trained.fitted)),
      targets_(std::move(trained.targets)),
      first_(first_row(std::move(trained.frame))),
      section_(std::move(section)),
      options_(std::move(options)) {
  if (!options_.unseen.empty()) section_["unseen"] = options_.unseen;
}

Fresh FreshTable::encoded(const Sheet& sheet) const {
  Frame frame = without_rows(first_);
  append_sheet(frame, section_, {"data", true, options_.needs_targets, options_.id}, sheet);
  hold_replaced(frame, first_, section_);
  Fresh fresh;
  fresh.dataset.schema = schema_;
  set_csv_inputs(fresh.dataset, frame, fitted_);
  fresh.value_names = value_names(frame);
  if (!options_.id.empty()) fresh.ids = {{options_.id, std::move(frame.split_cells["id"])}};
  if (options_.needs_targets) {
    fresh.dataset.schema.several.clear();
    set_csv_targets(fresh.dataset, frame, targets_);
  } else {
    set_unknown_targets(fresh.dataset, std::int64_t(frame.rows));
  }
  use_all_rows(fresh.dataset);
  return fresh;
}

std::unique_ptr<FreshStream> fresh_csv(const Json& data, const Sources& sources, const FreshOptions& options,
                                       std::uint64_t seed) {
  FreshTable table(read_tables(data, sources, seed, csv_files(data)), data, options);
  return std::make_unique<CsvStream>(std::move(table), data, options.files.at("path"));
}

}  // namespace dlrun::dataset
