// SPDX-License-Identifier: Apache-2.0
// New examples for a model that was trained on a section's data: encoded and scaled by what was measured on the
// training split, never by what they have themselves.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

/// A file or folder of new examples.
struct FreshKey {
  std::string name;        ///< "path", "images"
  bool is_target = false;  ///< has the targets alone: not read where none are needed
  std::string text;
};

struct FreshOptions {
  std::map<std::string, std::string> files;  ///< by key
  bool needs_targets = true;                 ///< false: they are not looked at
  std::string unseen;                        ///< "zero": a category that training never saw is none; empty: an error
  std::string id;                            ///< a column to know each example by; empty: none
};

/// A target's numbers in their own unit: number * scale + shift.
struct ValueScale {
  std::vector<double> scale, shift;
};

struct Fresh {
  Dataset dataset;  ///< schema of the training data; all rows are `test`; without targets they are 0
  std::string id_name = "row";
  std::vector<std::string> ids;  ///< of each row; empty: its number, from 0
  /// By target, in the order of Schema::several: what its values are called; none: as many as there are numbers.
  std::vector<std::vector<std::string>> value_names;
  std::vector<ValueScale> value_scale;  ///< likewise; none: the data set's numbers are the file's
};

/// @param data  of the trial
/// @throws DataError: a format without new examples, a missing file, another shape, a category or class that training
/// never saw.
Fresh load_fresh(const Json& data, const FreshOptions& options, std::uint64_t seed);

/// What `op` reads new examples from, the main one first; none: nothing.
const std::vector<FreshKey>& fresh_keys(const Json& data);

/// Targets that are not known, of `rows` examples. REQUIRES: the schema is set.
void set_unknown_targets(Dataset& dataset, std::int64_t rows);
/// All rows are `test`. REQUIRES: the targets are set.
void use_all_rows(Dataset& dataset);

}  // namespace dlrun::dataset
