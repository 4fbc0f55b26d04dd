// SPDX-License-Identifier: Apache-2.0
#include "dataset/frame.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "dataset/sheet.hpp"
#include "dataset/targets.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::size_t kMostAutoClasses = 20;  ///< different whole numbers in a target that are still classes

/// Columns that rows are split by, by their key in `split:`.
std::map<std::string, std::size_t> split_columns(const Sheet& sheet, const Json& data) {
  std::map<std::string, std::size_t> result;
  for (const char* key : {"column", "group", "time"}) {
    const Json& wanted = data["split"][key];
    if (!wanted.is_null()) result[key] = find_column(sheet, wanted, std::string("split.") + key);
  }
  return result;
}

std::vector<std::string> cells_of(const Sheet& sheet, std::size_t column) {
  std::vector<std::string> cells;
  for (std::size_t row = sheet.first; row < sheet.table.rows(); ++row)
    cells.emplace_back(sheet.table.cell(row, column));
  return cells;
}

void check_gaps(const Column& target, const Sheet& sheet) {
  if (target.gaps == 0) return;
  throw DataError("target", fmt::format("the target '{}' is missing in {} rows", target.name, target.gaps),
                  "remove those rows from the file", sheet.file);
}

bool looks_like_classes(const Column& target) {
  if (target.is_categorical) return true;
  std::set<double> values;
  for (const double value : target.numbers) {
    values.insert(value);
    if (value != std::floor(value) || values.size() > kMostAutoClasses) return false;
  }
  return true;
}

bool is_classification(const std::string& task, const std::vector<Column>& targets) {
  if (task == "classification") return true;
  if (task == "regression") return false;
  return targets.size() == 1 && looks_like_classes(targets[0]);
}

/// Spellings of one number, "1" and "1.0", become the shortest of them. REQUIRES: all categories are numbers
void merge_spellings(Column& target) {
  constexpr double kMostExact = 1e15;  // greater numbers may differ, and be one double
  std::vector<std::string> merged;
  std::vector<std::int32_t> codes;
  std::optional<double> last;
  for (std::string& category : target.categories) {
    const std::optional<double> value = parse_number(category);
    if (!last || value != last || std::fabs(*value) > kMostExact) {
      merged.push_back(category);
    } else if (category.size() < merged.back().size()) {
      merged.back() = category;
    }
    codes.push_back(std::int32_t(merged.size()) - 1);
    last = value;
  }
  for (std::int32_t& code : target.codes) code = codes[std::size_t(code)];
  target.categories = std::move(merged);
}

void label_rows(Column target, FrameTarget& labels) {
  if (target.categories.size() < 2) {
    throw DataError("target", fmt::format("the target '{}' is the same in every row", target.name),
                    "there is nothing to predict");
  }
  labels.labels.assign(target.codes.begin(), target.codes.end());
  labels.classes = target.categories;
  labels.column = target.name;
}

[[noreturn]] void refuse_text(const Column& target, std::size_t targets) {
  if (targets == 1) {
    throw DataError("target", fmt::format("the target '{}' is text, which no regression can predict", target.name),
                    "`task: classification`");
  }
  throw DataError("target", fmt::format("the target '{}' is text, and there are {} targets", target.name, targets),
                  "a classification has one target column, a regression numbers");
}

using Type = ColumnRules::Type;

/// Declared types by column.
std::map<std::size_t, Type> declared_types(const Sheet& sheet, const Json& data) {
  static const std::map<std::string, Type> known{
      {"number", Type::number}, {"category", Type::category}, {"date", Type::date}};
  std::map<std::size_t, Type> result;
  const Json types = data.value("types", Json::object());
  for (const auto& [name, type] : types.items()) {
    const std::string key = "types." + name;
    const std::size_t index = find_column(sheet, name, key);
    const auto found = known.find(type.get<std::string>());
    if (found == known.end()) {
      throw DataError(key, fmt::format("there is no type {}", quoted(type)),
                      hint_for_name(type.get<std::string>(), {"number", "category", "date"}));
    }
    result[index] = found->second;
  }
  return result;
}

/// The columns of each target, by its name; of a single one without a name.
std::map<std::string, std::set<std::size_t>> target_columns(const Sheet& sheet, const Json& data) {
  std::map<std::string, std::set<std::size_t>> result;
  if (data["target"].is_object()) check_target_names(data["target"], "target");
  const Json lists = data["target"].is_object() ? data["target"] : Json{{"", data["target"]}};
  std::vector<std::string> names;
  for (const auto& [name, list] : lists.items()) {
    const std::string key = name.empty() ? "target" : "target." + name;
    for (const Json& wanted : list) result[name].insert(find_column(sheet, wanted, key));
    if (list.empty())
      throw DataError(key, fmt::format("'{}' is an empty list", key), "name the column that is to be predicted");
    names.push_back(name);
  }
  check_tasks(data, names);
  return result;
}

class FrameReader {
 public:
  FrameReader(const Json& data, const Sheet& sheet)
      : data_(data),
        sheet_(sheet),
        rules_(column_rules(data, sheet.file)),
        categorical_(find_columns(sheet, data, "categorical")),
        declared_(declared_types(sheet, data)) {
    rules_.most_categories = data["most_categories"].get<std::size_t>();
  }

  Frame read_frame(bool needs_features) {
    const std::map<std::string, std::set<std::size_t>> wanted = target_columns(sheet_, data_);
    std::set<std::size_t> targets;
    for (const auto& [name, columns] : wanted) targets.insert(columns.begin(), columns.end());
    Frame frame;
    frame.rows = sheet_.rows();
    frame.names = sheet_.names;
    frame.has_header = sheet_.first > 0;
    frame.lines.assign(sheet_.table.lines.begin() + static_cast<std::ptrdiff_t>(sheet_.first),
                       sheet_.table.lines.end());
    frame.parts = {{0, sheet_.file}};
    for (const std::size_t index : feature_columns(sheet_, data_, targets)) {
      frame.features.push_back(read_feature(index));
    }
    for (const auto& [key, column] : split_columns(sheet_, data_)) frame.split_cells[key] = cells_of(sheet_, column);
    check_types_used();
    if (needs_features && frame.features.empty())
      throw DataError("features", "no column is left as an input", "", sheet_.file);
    for (const auto& [name, columns] : wanted) read_target(name, columns, frame);
    return frame;
  }

 private:
  Column read(std::size_t index, const ColumnRules& rules) const {
    return read_column({sheet_.table, index, sheet_.first}, sheet_.names[index], rules);
  }

  Column read_feature(std::size_t index) {
    const auto type = declared_.find(index);
    const bool is_declared = type != declared_.end(), is_category = categorical_.count(index) > 0;
    if (is_declared && is_category)
      throw DataError("types." + sheet_.names[index],
                      fmt::format("column '{}' is in 'types' and in 'categorical'", sheet_.names[index]),
                      "name it once");
    ColumnRules rules = rules_;
    if (is_category) rules.type = Type::category;
    if (is_declared) rules.type = type->second;
    used_ += is_declared ? 1 : 0;
    return read(index, rules);
  }

  /// A type of the target, or of a column that is left out, would change nothing.
  void check_types_used() const {
    if (used_ == declared_.size()) return;
    throw DataError("types", "'types' names a column that is no feature", "the target's type is `task`");
  }

  void read_target(const std::string& name, const std::set<std::size_t>& indices, Frame& frame) {
    const std::string task = task_of(data_, name);
    ColumnRules rules = rules_;
    rules.most_categories = 100000;
    if (task == "classification") rules.type = Type::category;
    std::vector<Column> targets;
    for (const std::size_t index : indices) {
      targets.push_back(read(index, rules));
      check_gaps(targets.back(), sheet_);
    }
    frame.targets.push_back({.name = name});
    if (!is_classification(task, targets)) return keep_numbers(std::move(targets), frame.targets.back());
    if (targets.size() > 1)
      throw DataError(name.empty() ? "target" : "target." + name, "a classification has one target column",
                      "name one, or `task: regression`");
    FrameTarget& labels = frame.targets.back();
    labels.are_numbers = !targets[0].is_categorical;
    rules.type = Type::category;
    Column column = labels.are_numbers ? read(targets[0].index, rules) : std::move(targets[0]);
    if (labels.are_numbers) merge_spellings(column);
    label_rows(std::move(column), labels);
  }

  void keep_numbers(std::vector<Column> targets, FrameTarget& target_of) const {
    for (const Column& target : targets) {
      if (target.is_categorical) refuse_text(target, targets.size());
    }
    target_of.numbers = std::move(targets);
  }

  const Json& data_;
  const Sheet& sheet_;
  ColumnRules rules_;
  std::set<std::size_t> categorical_;
  std::map<std::size_t, Type> declared_;
  std::size_t used_ = 0;  ///< declared columns met so far
};

}  // namespace

std::vector<std::size_t> feature_columns(const Sheet& sheet, const Json& data, const std::set<std::size_t>& targets) {
  const bool is_all = data["features"] == "all";
  const std::set<std::size_t> chosen = is_all ? std::set<std::size_t>{} : find_columns(sheet, data, "features");
  std::set<std::size_t> dropped = find_columns(sheet, data, "drop");
  if (is_all) {
    for (const auto& [key, column] : split_columns(sheet, data)) dropped.insert(column);
  }
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < sheet.names.size(); ++i) {
    if (chosen.count(i) > 0 && targets.count(i) > 0) {
      throw DataError("features", fmt::format("column '{}' is a feature and the target", sheet.names[i]),
                      "the model would only copy it");
    }
    if ((is_all || chosen.count(i) > 0) && targets.count(i) == 0 && dropped.count(i) == 0) result.push_back(i);
  }
  return result;
}

ColumnRules column_rules(const Json& data, const std::string& file) {
  ColumnRules rules{.file = file};
  for (const Json& text : data["missing"])
    rules.missing.push_back(text.is_string() ? text.get<std::string>() : text.dump());
  return rules;
}

std::vector<std::int64_t> Frame::labels() const {
  for (const FrameTarget& target : targets) {
    if (!target.classes.empty()) return target.labels;
  }
  return {};
}

std::string Frame::place(std::size_t row) const {
  std::size_t part = parts.size() - 1;
  while (part > 0 && parts[part].first > row) --part;
  if (unit == std::string("row")) return fmt::format("{}, row {}", parts[part].file, lines[row]);
  return fmt::format("{}:{}", parts[part].file, lines[row]);
}

Frame frame_of(const Json& data, const Sheet& sheet, bool needs_features) {
  return FrameReader(data, sheet).read_frame(needs_features);
}

Frame read_frame(const Json& data, std::string_view text, const std::string& file, bool needs_features) {
  return frame_of(data, read_sheet(data, text, file), needs_features);
}

}  // namespace dlrun::dataset
