// SPDX-License-Identifier: Apache-2.0
// Draws the rows of each split from a `split:` map and the facts of the rows.
#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "dataset/clusters.hpp"
#include "dataset/column.hpp"
#include "dataset/formats.hpp"
#include "dataset/frame.hpp"
#include "dataset/split_section.hpp"
#include "dataset/times.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

using Draws = std::vector<std::int64_t>;

std::string said_of_split(const std::string& text) { return quoted(Json(text)); }

std::string place_of(const Splittable& rows, std::size_t row) {
  return rows.lines.empty() ? fmt::format("row {}", row) : fmt::format("line {}", rows.lines[row]);
}

bool is_given(const Json& split, const char* key) { return split.contains(key) && !split[key].is_null(); }

double part_of(const Json& split, const char* key) { return is_given(split, key) ? split[key].get<double>() : 0; }

Shares shares_of(const Json& split) {
  if (!split.contains("train")) return {1 - part_of(split, "val"), part_of(split, "val"), 0};
  return {part_of(split, "train"), part_of(split, "val"), part_of(split, "test")};
}

/// Value of the column -> its split; 0 train, 1 val, 2 test.
std::map<std::string, int> parts_by_value(const Json& split) {
  std::map<std::string, int> parts;
  int part = 0;
  for (const char* key : {"train", "val", "test"}) {
    for (const Json& value : split[key]) {
      if (!parts.emplace(value.get<std::string>(), part).second) {
        throw DataError(fmt::format("split.{}", key), fmt::format("the value {} is in two splits", quoted(value)),
                        "name it once");
      }
    }
    ++part;
  }
  return parts;
}

/// A value that no row has is a slip of the pen.
void check_values(const Json& split, const std::vector<std::string>& cells) {
  const std::set<std::string> known(cells.begin(), cells.end());
  for (const char* key : {"train", "val", "test"}) {
    for (const Json& value : split[key]) {
      if (known.count(value.get<std::string>()) > 0) continue;
      throw DataError(fmt::format("split.{}", key),
                      fmt::format("no row has {} in the column {}", quoted(value), quoted(split["column"])),
                      hint_for_name(value.get<std::string>(), {known.begin(), known.end()}));
    }
  }
}

Rows by_column(const Json& split, const Splittable& rows) {
  const std::map<std::string, int> parts = parts_by_value(split);
  const std::vector<std::string>& cells = rows.cells.at("column");
  Rows result;
  Draws* const lists[] = {&result.train, &result.val, &result.test};
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const auto part = parts.find(cells[row]);
    if (part == parts.end()) {
      throw DataError("split.column",
                      fmt::format("{} has {} in the column {}, which no split names", place_of(rows, row),
                                  said_of_split(cells[row]), quoted(split["column"])),
                      "add it to train, val or test");
    }
    lists[part->second]->push_back(std::int64_t(row));
  }
  check_values(split, cells);
  return result;
}

/// Number of each row's group, counted as they first appear.
Draws groups_of(const std::vector<std::string>& cells) {
  std::map<std::string, std::int64_t> numbers;
  Draws groups;
  for (const std::string& cell : cells)
    groups.push_back(numbers.emplace(cell, std::int64_t(numbers.size())).first->second);
  return groups;
}

/// Cells that mean no value; a section without tables has none.
std::vector<std::string> missing_of(const Json& data) {
  return data.contains("missing") ? column_rules(data, "").missing : std::vector<std::string>();
}

void require_cells(const Splittable& rows, const char* key, const std::vector<std::string>& missing) {
  const std::vector<std::string>& cells = rows.cells.at(key);
  const auto gap = std::find_if(cells.begin(), cells.end(), [&](const std::string& cell) {
    return cell.empty() || std::find(missing.begin(), missing.end(), cell) != missing.end();
  });
  if (gap == cells.end()) return;
  throw DataError(fmt::format("split.{}", key),
                  fmt::format("{} has no {}", place_of(rows, std::size_t(gap - cells.begin())), key),
                  "fill it in, or split by another column");
}

/// Place of each row in time; equal times, equal places.
Draws times_of(const Splittable& rows, const std::vector<std::string>& missing) {
  require_cells(rows, "time", missing);
  const std::vector<TimeKey> times =
      time_keys({rows.cells.at("time"), "split.time", [&](std::size_t row) { return place_of(rows, row); }});
  std::map<TimeKey, std::int64_t> order;
  for (const TimeKey& time : times) order.emplace(time, 0);
  std::int64_t place = 0;
  for (auto& entry : order) entry.second = place++;
  Draws result;
  for (const TimeKey& time : times) result.push_back(order.at(time));
  return result;
}

/// Class of each row where the split is to be stratified, else all 0.
Draws strata_of(const Json& split, const Splittable& rows) {
  if (split["stratify"] == true && rows.labels.empty()) {
    throw DataError("split.stratify", "'stratify' has no effect: there are no classes", "remove it");
  }
  const bool is_stratified = split["stratify"] != false && !rows.labels.empty();
  return is_stratified ? rows.labels : Draws(std::size_t(rows.rows), 0);
}

Folds folds_of(const Json& split) {
  return {split["folds"].get<int>(), split["fold"].get<int>(), part_of(split, "test"), split.value("val_folds", 1)};
}

Rows by_time(const Json& split, const Splittable& rows, const std::vector<std::string>& missing) {
  const Draws times = times_of(rows, missing);
  Rows result = split_times(times, shares_of(split));
  result.clusters = clusters_by_time(times, result.val);
  return result;
}

Rows by_group(const Json& split, const Splittable& rows, const std::vector<std::string>& missing, std::uint64_t seed) {
  require_cells(rows, "group", missing);
  const Draws groups = groups_of(rows.cells.at("group"));
  Rows result = is_given(split, "folds") ? fold_groups(groups, folds_of(split), seed)
                                         : split_groups(groups, shares_of(split), seed);
  result.clusters = clusters_by_group(groups, result.val);
  return result;
}

Rows draw(const Json& data, const Splittable& rows, std::uint64_t seed) {
  const Json& split = data["split"];
  if (is_given(split, "column")) return by_column(split, rows);
  if (is_given(split, "time")) return by_time(split, rows, missing_of(data));
  if (is_given(split, "group")) return by_group(split, rows, missing_of(data), seed);
  if (is_given(split, "folds")) return fold_rows(strata_of(split, rows), folds_of(split), seed);
  return split_rows(strata_of(split, rows), shares_of(split), seed);
}

/// Number of the pieces there are to divide, for the message of an empty split.
std::string pieces(const Json& split, const Splittable& rows) {
  for (const char* key : {"group", "time"}) {
    if (!is_given(split, key)) continue;
    const std::vector<std::string>& cells = rows.cells.at(key);
    const std::set<std::string> different(cells.begin(), cells.end());
    return fmt::format("{} rows of {} different {}s", rows.rows, different.size(), key);
  }
  return fmt::format("{} rows", rows.rows);
}

std::string hint_for_empty(const Json& split, const std::string& key) {
  if (is_given(split, "folds")) return "fewer folds, or more rows";
  return fmt::format("give `{}` a larger share{}", key, key == "train" ? "" : ", or 0");
}

void require_rows(const Json& split, const std::string& key, bool is_wanted, const Draws& part,
                  const Splittable& rows) {
  if (!part.empty() || !is_wanted) return;
  const char* name = key == "train" ? "training" : key == "val" ? "validation" : "test";
  throw DataError("split", fmt::format("the {} split is empty: there are {}", name, pieces(split, rows)),
                  hint_for_empty(split, key));
}

}  // namespace

Rows draw_split(const Json& data, const Splittable& rows, std::uint64_t seed) {
  const Json& split = data["split"];
  Rows result = draw(data, rows, split_seed(data, seed));
  if (is_given(split, "column")) return result;
  require_rows(split, "train", true, result.train, rows);
  require_rows(split, "val", is_given(split, "folds") || part_of(split, "val") > 0, result.val, rows);
  require_rows(split, "test", part_of(split, "test") > 0, result.test, rows);
  return result;
}

}  // namespace dlrun::dataset
