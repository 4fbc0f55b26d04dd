// SPDX-License-Identifier: Apache-2.0
// Data sets as plain arrays: formats, schemas, deterministic splits, content hashes. No tensor in sight.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dataset/array.hpp"
#include "options/key.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/json.hpp"

namespace dlrun::dataset {

/// A fault in data or in the spec's settings for it. `path`: dotted place within the `data:` section, may be empty.
class DataError : public Error {
 public:
  DataError(std::string path, const std::string& message, std::string hint = {}, std::string place = {})
      : Error(ErrorKind::usage, message, std::move(hint), std::move(place)), path_(std::move(path)) {}
  /// A file that cannot be opened or read: because its machine lacks something, or because the name is wrong.
  /// @param fault  errno
  static DataError unreadable(std::string path, const std::string& message, int fault, std::string place = {}) {
    return {is_of_machine(fault) ? ErrorKind::outside : ErrorKind::usage, std::move(path), message, std::move(place)};
  }
  /// A fault of reading a file, of the same kind.
  static DataError of(std::string path, const Error& fault, std::string place) {
    return {fault.kind(), std::move(path), fault.what(), std::move(place), fault.hint()};
  }
  /// A key whose name belongs to nothing.
  static DataError unknown_key(std::string path, const std::string& message, std::string hint) {
    DataError fault(std::move(path), message, std::move(hint));
    fault.part_ = Part::key;
    return fault;
  }
  /// A file that is in none of the places, which what() lists one a line and brief() on one line.
  static DataError missing(std::string path, const std::string& message, const std::vector<std::string>& places,
                           std::string hint);
  const std::string& path() const { return path_; }
  /// Part of the entry at path() that the fault is about.
  Part part() const { return part_; }
  /// The message on one line.
  std::string brief() const;

 private:
  DataError(ErrorKind kind, std::string path, const std::string& message, std::string place, std::string hint = {})
      : Error(kind, message, std::move(hint), std::move(place)), path_(std::move(path)) {}
  std::string path_;
  std::string brief_;  ///< empty: the message, its lines joined by commas
  Part part_ = Part::value;
};

enum class Split { train, val, test };

/// One input of an example. Numbers reach a model as float32, indices (tokens, categories) as int64.
struct Input {
  std::string name = "x";
  std::vector<std::int64_t> shape;  ///< [1, 28, 28], [features], [length]
  std::int64_t vocabulary = 0;      ///< indices lie in [0, vocabulary); 0: numbers

  bool is_index() const { return vocabulary > 0; }
};

/// A target's numbers in their own unit, by value of an example: number * scale + shift. Empty: they are in it.
struct ValueScale {
  std::vector<double> scale, shift;

  bool empty() const { return scale.empty(); }
};

/// One of several things to be predicted.
struct Target {
  std::string name;
  std::int64_t classes = 0;         ///< 0: regression
  std::int64_t width = 1;           ///< regression: of its values
  std::vector<std::int64_t> shape;  ///< classes: as Schema::target_shape
  std::vector<std::string> class_names;
  ValueScale unit = {};
};

/// Facts that a model and a check need, without the data in memory.
struct Schema {
  std::vector<Input> inputs;               ///< by name, ascending; usually one, "x"
  std::int64_t classes = 0;                ///< 0: regression
  std::int64_t targets = 1;                ///< regression: width of the target
  std::vector<std::int64_t> target_shape;  ///< classes: [] is one label an example, [L] one for each position
  std::vector<std::string> class_names;
  ValueScale unit;  ///< regression: of standardised targets
  /// Targets by name, ascending, where they have names. The five fields above are then of the first with classes, else
  /// of the first: what rows are divided and drawn by.
  std::vector<Target> several;
  std::vector<std::string> features;  ///< name of each encoded input column, tables only
  std::vector<std::string> columns;   ///< source column of each encoded one ("sex" of "sex=male"), tables only
  std::int64_t train = 0;             ///< examples in each split
  std::int64_t val = 0;
  std::int64_t test = 0;
  std::string sha256;  ///< hash of the files' content and of the settings that the spec has for them

  /// Shape of the first input. REQUIRES: there is one.
  const std::vector<std::int64_t>& input() const { return inputs.at(0).shape; }
};

/// Schema of one of several targets: `classes`, `targets`, … are its own. An empty name is that of a single target.
Schema seen_by(Schema schema, const std::string& target);
/// nullptr where there is none of the name.
const Target* find_target(const Schema& schema, const std::string& name);

/// A label at a position that does not count (padding); torch's ignore_index.
inline constexpr std::int64_t kIgnored = -100;

/// Data set in memory or mapped, encoded.
struct Dataset {
  Schema schema;
  std::vector<Array> inputs;  ///< one for each of schema.inputs: [examples, ...shape]; every number finite
  Array targets;              ///< labels [examples, ...target_shape] in [0, classes), or f32 values [examples, targets]
  std::vector<Array> several;                   ///< one for each of schema.several; `targets` is one of them
  std::vector<std::int64_t> train, val, test;   ///< row numbers, ascending, no row in two of them
  std::vector<std::int64_t> val_clusters = {};  ///< [val] as of Rows
};

/// Folders in which files are looked for, first the folder the spec named, then --data DIR / DLRUN_DATA. Below each:
/// the path as written, then its last part alone ("digits.csv.gz" of "data/digits.csv.gz").
struct Locations {
  std::vector<std::filesystem::path> folders;
};

/// The kinds of the `data:` section with their keys, `op` itself left out.
const std::vector<options::Variant>& data_kinds();

/// The section with every default filled in; what is hashed. `sink`, where given, collects all that is wrong with
/// its keys and values; else the first is thrown. No file is touched.
Json normalised(const Json& data, std::vector<DataError>* sink = nullptr);

/// The section with the paths of its files made absolute; a worker then needs no Locations.
/// @throws DataError for a missing file: every place looked at, and where to put it.
Json located(const Json& data, const Locations& where);

/// Keys of the section's kind that name files; of an unknown kind none.
std::vector<std::string> path_keys(const Json& data);
/// The section without them: the same wherever the files lie.
Json without_paths(Json data);

/// The `data:` section to its schema. Cached by path, size and mtime under
/// XDG_CACHE_HOME/dlrun/schema. `seed`: the study's seed (splits are drawn by it).
/// @throws DataError: missing file, truncated, wrong magic, ….
Schema inspect(const Json& data, const Locations& where, std::uint64_t seed);

/// The data itself. Same errors.
Dataset load(const Json& data, const Locations& where, std::uint64_t seed);

}  // namespace dlrun::dataset
