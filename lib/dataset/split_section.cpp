// SPDX-License-Identifier: Apache-2.0
#include "dataset/split_section.hpp"

#include <cmath>

#include <fmt/format.h>

#include "options/form.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

constexpr const char* kParts[] = {"train", "val", "test"};

options::Key share_at(const char* name, bool takes_values, const char* text) {
  options::Key share = real(name, text).from(0).to(1);
  return takes_values ? share.or_a(options::Form::columns) : share;
}

options::Table shares(SplitBy by) {
  if (by == SplitBy::test_file) return {share_at("val", false, "share of the rows that is kept for decisions, 0.1")};
  const bool takes_values = by == SplitBy::columns;
  return {share_at("train", takes_values, "share for training, 0.7; with `column` the values that mean training"),
          share_at("val", takes_values, "share for decisions, 0.15; what is not given divides the rest"),
          share_at("test", takes_values, "share for the last word, 0.15; with `folds` 0")};
}

options::Table columns() {
  return {key(options::Form::columns, "column", "the column that says of each row which split it is in"),
          key(options::Form::columns, "group", "rows with the same value in this column stay in one split"),
          key(options::Form::columns, "time", "rows are cut in the order of this column: the past is for training")};
}

options::Table ways() {
  return {boolean("stratify",
                  "every class has its share in every split; auto: yes, where classes are drawn by fraction or fold")
              .or_word("auto")
              .with("auto"),
          integer("seed", "draws the split; default: the study's seed").from(0),
          integer("folds", "cuts into so many parts of equal size").from(2).to(1000),
          integer("fold", "the part that is val, from 0; the others train").from(0).to(999),
          integer("val_folds", "so many parts are val, from `fold` on; after the last comes the first")
              .from(1)
              .to(999)
              .or_else("1")};
}

bool is_written(const Json& split, const char* key) { return split.contains(key) && !split[key].is_null(); }

void refuse_beside(const Json& split, const char* key, const char* other, const char* why, Faults& faults) {
  if (is_written(split, key) && is_written(split, other))
    faults.add({fmt::format("split.{}", key), fmt::format("'{}' has no effect beside '{}': {}", key, other, why),
                "remove one of them"});
}

void check_ways(Json& split, Faults& faults) {
  for (const char* key : {"group", "time", "folds", "seed"})
    refuse_beside(split, key, "column", "the column decides for every row", faults);
  refuse_beside(split, "group", "time", "rows are cut by time alone", faults);
  refuse_beside(split, "folds", "time", "folds would train on what comes later", faults);
  refuse_beside(split, "seed", "time", "nothing is drawn", faults);
  for (const char* key : {"fold", "val_folds"}) {
    if (is_written(split, key) && !is_written(split, "folds"))
      faults.add({fmt::format("split.{}", key), fmt::format("'{}' needs 'folds', the number of parts", key),
                  "e.g. folds: 10"});
  }
  for (const char* key : {"column", "group", "time"}) {
    if (!is_written(split, key)) continue;
    if (split["stratify"] == true)
      faults.add({"split.stratify", fmt::format("'stratify' has no effect beside '{}'", key), "remove it"});
    if (!split[key].is_array()) continue;  // settled before
    if (split[key].size() != 1)
      faults.add({fmt::format("split.{}", key), fmt::format("'{}' must be one column", key), "name one"});
    else
      split[key] = Json(split[key][0]);
  }
}

void check_val_folds(const Json& split, Faults& faults) {
  if (is_written(split, "val_folds") && split["val_folds"] >= split["folds"])
    faults.add(
        {"split.val_folds",
         fmt::format("{} of {} parts leave none for training", to_text(split["val_folds"]), to_text(split["folds"])),
         fmt::format("1 to {}", split["folds"].get<int>() - 1)});
}

void check_fold(Json& split, Faults& faults) {
  if (!is_written(split, "folds")) return;
  check_val_folds(split, faults);
  if (!is_written(split, "fold")) split["fold"] = 0;
  if (split["fold"] >= split["folds"]) {
    faults.add({"split.fold", fmt::format("there is no fold {} of {}", to_text(split["fold"]), to_text(split["folds"])),
                fmt::format("0 to {}", split["folds"].get<int>() - 1)});
  }
  for (const char* key : {"train", "val"}) {
    if (is_written(split, key))
      faults.add({fmt::format("split.{}", key),
                  fmt::format("'{}' has no effect beside 'folds': one fold is val, the others train", key),
                  "remove it"});
  }
}

/// With `column`: lists of values, as texts.
void take_values(Json& split, Faults& faults) {
  for (const char* key : kParts) {
    Json& values = split[key];
    if (values.is_null()) values = Json::array();
    if (values.is_number_float()) {
      faults.add({fmt::format("split.{}", key), fmt::format("'{}' is a share, but 'column' decides", key),
                  "name the values of the column"});
      values = Json::array();
    }
    if (!values.is_array()) values = Json::array({values});
    for (Json& value : values) value = value.is_string() ? value : Json(value.dump());
  }
  if (split["train"].empty())
    faults.add({"split", "'split' needs 'train', the values that mean training",
                "e.g. train: [train], val: [val], test: [test]"});
}

/// Requires shares from 0 to 1, in a split without `column`.
void require_shares(Json& split, Faults& faults) {
  for (const char* key : kParts) {
    Json& share_at = split[key];
    if (share_at.is_null() || (share_at.is_number() && share_at >= 0 && share_at <= 1)) continue;
    const std::string path = fmt::format("split.{}", key);
    if (share_at.is_number()) {
      faults.add({path, options::describe_misfit(real(key, "").from(0).to(1), share_at)});
    } else {
      faults.add({path, fmt::format("'{}' names values, but no 'column' that has them", key), "add column: NAME"});
    }
    share_at = 0.0;
  }
}

/// Shares that were not given divide what is left.
void fill_shares(Json& split) {
  static const std::map<std::string, double> usual{{"train", 0.7}, {"val", 0.15}, {"test", 0.15}};
  double given = 0;
  int missing = 0;
  for (const char* key : kParts) {
    if (split[key].is_number())
      given += split[key].get<double>();
    else
      ++missing;
  }
  for (const char* key : kParts) {
    if (split[key].is_null())
      split[key] = missing == 3 ? usual.at(key) : std::max(0.0, std::round((1 - given) / missing * 1e9) / 1e9);
  }
}

void check_sum(const Json& split, Faults& faults) {
  const double train = split["train"].get<double>(), val = split["val"].get<double>(),
               test = split["test"].get<double>();
  if (std::abs(train + val + test - 1) < 1e-6) return;
  faults.add({"split", fmt::format("the shares {} + {} + {} make {:.6g}", train, val, test, train + val + test),
              "together they must be 1"});
}

}  // namespace

options::Key split_option(SplitBy by) {
  options::Key option = table("split", "which rows are for training, validation and test", shares(by));
  if (by == SplitBy::order) return option;
  for (options::Key& field : ways()) option.table.push_back(std::move(field));
  if (by != SplitBy::columns) return option;
  for (options::Key& field : columns()) option.table.push_back(std::move(field));
  return option;
}

void finish_split(Json& split, SplitBy by, Faults& faults) {
  check_ways(split, faults);
  if (split.contains("val_folds") && (split["val_folds"].is_null() || split["val_folds"] == 1))
    split.erase("val_folds");  // as it was without the key
  if (is_written(split, "column")) return take_values(split, faults);
  const std::size_t before = faults.count();
  if (by == SplitBy::columns || by == SplitBy::parts) require_shares(split, faults);
  if (by == SplitBy::parts) return check_fold(split, faults);
  check_fold(split, faults);
  const bool has_folds = is_written(split, "folds");
  if (by == SplitBy::test_file) {
    if (!has_folds && split["val"].is_null()) split["val"] = 0.1;
  } else if (has_folds) {
    if (split["test"].is_null()) split["test"] = 0.0;
  } else {
    fill_shares(split);
    if (faults.count() == before) check_sum(split, faults);
  }
}

}  // namespace dlrun::dataset
