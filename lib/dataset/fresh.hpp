// SPDX-License-Identifier: Apache-2.0
// New examples for a model that was trained on a section's data: encoded and scaled by the measures of the
// training split, never by their own.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

/// A file or folder of new examples.
struct FreshKey {
  std::string name;        ///< as in the section: "path", "images", "inputs.x"
  bool is_target = false;  ///< has the targets alone: not read where none are needed
  std::string text;
  std::string short_name = {};  ///< "x", where nothing else is called so
};

struct FreshOptions {
  std::map<std::string, std::string> files;  ///< by key
  bool needs_targets = true;                 ///< false: they are not looked at
  std::string unseen;                        ///< "zero": a category that training never saw is none; empty: an error
  std::string id;                            ///< a column to know each example by; empty: none
};

/// First column of predictions: "row", "file", a column of the table.
struct IdColumn {
  std::string name;
  std::vector<std::string> cells;  ///< cell of each row; empty where nothing is known
  bool is_number = false;
};

struct Fresh {
  Dataset dataset;            ///< schema of the training data; all rows are `test`; without targets they are 0
  std::vector<IdColumn> ids;  ///< columns that name each row; none: its number, from 0
  /// Names of a target's values, by target, in the order of Schema::several; none: as many as there are numbers.
  std::vector<std::vector<std::string>> value_names;
};

/// New examples part by part, so that they need not be in memory together.
class FreshStream {
 public:
  virtual ~FreshStream() = default;
  /// The next ones, in their order; there is at least one part, and none is empty. All but the last have a multiple of
  /// kFreshRows of them. nullopt: there are no more.  @throws DataError as open_fresh.
  virtual std::optional<Fresh> next() = 0;
};

/// A training measures so many examples at once, and sums are those of a split only where the borders are the same.
inline constexpr std::int64_t kFreshRows = 512;
/// Examples of a part: about 16 MiB of them. @param bytes  of one example
std::int64_t rows_of_part(std::int64_t bytes);

/// Tables of csv, npy and safetensors come in parts, other formats as a whole.
/// @param data  of the trial
/// @throws DataError: a missing file, one that is damaged, another shape or type, a category or class that training
/// never saw.
std::unique_ptr<FreshStream> open_fresh(const Json& data, const FreshOptions& options, std::uint64_t seed);

/// Stream of one part.
std::unique_ptr<FreshStream> in_one_part(Fresh fresh);

/// Keys of files with new examples for a section, the main one first.
std::vector<FreshKey> fresh_keys(const Json& data);
/// The name of the key that a word means: its own, or its short one. Of an unknown word the word.
std::string fresh_key(const std::vector<FreshKey>& keys, const std::string& word);

/// Targets that are not known, of `rows` examples. REQUIRES: the schema is set.
void set_unknown_targets(Dataset& dataset, std::int64_t rows);
/// All rows are `test`. REQUIRES: the targets are set.
void use_all_rows(Dataset& dataset);

}  // namespace dlrun::dataset
