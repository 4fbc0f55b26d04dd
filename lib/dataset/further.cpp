// SPDX-License-Identifier: Apache-2.0
// Rows of a further table, a validation or test split that is a file of its own, behind those of a frame. Types and
// categories are the frame's: what only the further table has was never there to learn from.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dataset/frame.hpp"
#include "dataset/sheet.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

std::vector<std::string> target_names(const Frame& frame) {
  std::vector<std::string> names;
  for (const FrameTarget& target : frame.targets) {
    if (!target.classes.empty()) names.push_back(target.column);
    for (const Column& column : target.numbers) names.push_back(column.name);
  }
  return names;
}

/// A table without names that comes without its targets has the other columns in their order.
void name_without_targets(Sheet& sheet, const Frame& frame) {
  if (sheet.names.size() == frame.names.size()) return;
  const std::vector<std::string> targets = target_names(frame);
  std::vector<std::string> names = frame.names;
  std::erase_if(
      names, [&](const std::string& name) { return std::find(targets.begin(), targets.end(), name) != targets.end(); });
  if (sheet.names.size() != names.size()) {
    throw DataError("data",
                    fmt::format("'{}' has {} columns, but the training table {}", sheet.file, sheet.names.size(),
                                frame.names.size()),
                    fmt::format("columns without names: all of them, or the {} that are no target", names.size()),
                    sheet.file);
  }
  sheet.names = std::move(names);
}

class Appender {
 public:
  Appender(Frame& frame, const Json& data, const Further& table, const Sheet& sheet)
      : frame_(frame),
        data_(data),
        table_(table),
        key_(table.key),
        sheet_(sheet),
        rules_(column_rules(data, sheet.file)) {
    rules_.key = table.key;
  }

  void append() {
    table_.is_fresh ? check_needed() : check_names();
    for (Column& column : frame_.features) add_feature(column);
    if (table_.needs_targets) add_targets();
    if (!table_.id.empty()) add_ids();
    frame_.parts.push_back({frame_.rows, sheet_.file});
    frame_.rows += sheet_.rows();
    frame_.lines.insert(frame_.lines.end(), sheet_.table.lines.begin() + std::ptrdiff_t(sheet_.first),
                        sheet_.table.lines.end());
  }

 private:
  void add_targets() const {
    for (FrameTarget& target : frame_.targets) {
      for (Column& column : target.numbers) add_numbers(column);
      if (!target.classes.empty()) add_labels(target);
    }
  }

  void add_ids() const {
    const std::size_t column = find_column(sheet_, table_.id, "id");
    std::vector<std::string>& cells = frame_.split_cells["id"];
    for (std::size_t row = 0; row < sheet_.rows(); ++row)
      cells.emplace_back(sheet_.table.cell(sheet_.first + row, column));
  }

  ColumnPlace place_of(const std::string& name) const {
    const auto found = std::find(sheet_.names.begin(), sheet_.names.end(), name);
    return {sheet_.table, std::size_t(found - sheet_.names.begin()), sheet_.first};
  }

  void check_names() const {
    const std::string& first = frame_.parts[0].file;
    for (const std::string& name : frame_.names) require(name, sheet_.names, sheet_.file, first);
    for (const std::string& name : sheet_.names) require(name, frame_.names, first, sheet_.file);
  }

  /// Requires the columns that the model was trained with.
  void check_needed() const {
    for (const Column& column : frame_.features) require_needed(column.name, "an input of the model");
    if (!table_.needs_targets) return;
    for (const std::string& name : target_names(frame_)) require_needed(name, "the target");
  }

  void require_needed(const std::string& name, const char* what) const {
    if (std::find(sheet_.names.begin(), sheet_.names.end(), name) != sheet_.names.end()) return;
    throw DataError(key_, fmt::format("'{}' has no column '{}', which is {}", sheet_.file, name, what),
                    hint_for_name(name, sheet_.names), sheet_.file);
  }

  void require(const std::string& name, const std::vector<std::string>& names, const std::string& file,
               const std::string& other) const {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    throw DataError(key_, fmt::format("'{}' has no column '{}', but '{}' has", file, name, other),
                    hint_for_name(name, names), sheet_.file);
  }

  void add_feature(Column& column) const {
    ColumnRules rules = rules_;
    rules.fills_gaps = data_["impute_category"] == "most_frequent";
    extend_column(column, place_of(column.name), rules, [&](const std::string& message, const std::string& place) {
      if (data_["unseen"] != "zero")
        throw DataError(key_, message,
                        table_.is_fresh ? "`--unseen zero` lets all inputs of the column be 0 there"
                                        : "`unseen: zero` lets all inputs of the column be 0 there",
                        place);
    });
  }

  void add_numbers(Column& target) const {
    extend_column(target, place_of(target.name), rules_, {});
    const auto gap = std::find_if(target.numbers.begin(), target.numbers.end(), [](double n) { return std::isnan(n); });
    if (gap == target.numbers.end()) return;
    const std::size_t row = std::size_t(gap - target.numbers.begin()) - frame_.rows;
    const std::int64_t line = sheet_.table.lines[sheet_.first + row];
    throw DataError(key_, fmt::format("the target '{}' is missing in line {} of '{}'", target.name, line, sheet_.file),
                    "fill it in, or remove the row", fmt::format("{}:{}", sheet_.file, line));
  }

  void add_labels(FrameTarget& labels) const {
    Column target{.name = labels.column, .is_categorical = true, .categories = labels.classes};
    ColumnRules rules = rules_;
    rules.are_numbers = labels.are_numbers;
    extend_column(target, place_of(target.name), rules, [&](const std::string& message, const std::string& place) {
      throw DataError(key_, message, "a class needs training rows", place);
    });
    labels.labels.insert(labels.labels.end(), target.codes.begin(), target.codes.end());
  }

  Frame& frame_;
  const Json& data_;
  const Further& table_;
  const std::string& key_;
  const Sheet& sheet_;
  ColumnRules rules_;
};

}  // namespace

Sheet fresh_sheet(Table table, const Frame& frame, const Json& data, const std::string& file) {
  Json section = data;
  section["header"] = frame.has_header;
  Sheet sheet = sheet_of(std::move(table), section, file);
  if (!frame.has_header) name_without_targets(sheet, frame);
  return sheet;
}

void append_sheet(Frame& frame, const Json& data, const Further& table, const Sheet& sheet) {
  Appender(frame, data, table, sheet).append();
}

}  // namespace dlrun::dataset
