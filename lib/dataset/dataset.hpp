// SPDX-License-Identifier: Apache-2.0
// Data sets as plain arrays: formats, schemas, deterministic splits, content hashes. No tensor in sight.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::dataset {

/// A fault in data or in what the spec says of it. `path`: dotted place within the `data:` section, may be empty.
class DataError : public Error {
 public:
  DataError(std::string path, const std::string& message, std::string hint = {}, std::string place = {})
      : Error(ErrorKind::usage, message, std::move(hint), std::move(place)), path_(std::move(path)) {}
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

enum class Split { train, val, test };

/// What a model and a check need to know, without the data in memory.
struct Schema {
  std::vector<std::int64_t> input;   ///< shape of one example: [1, 28, 28] or [features]
  std::int64_t classes = 0;          ///< 0: regression
  std::int64_t targets = 1;          ///< regression: width of the target
  std::vector<std::string> class_names;
  std::vector<std::string> features;  ///< name of each encoded input column, tables only
  std::vector<std::string> columns;   ///< source column of each encoded one ("sex" of "sex=male"), tables only
  std::int64_t train = 0;            ///< examples in each split
  std::int64_t val = 0;
  std::int64_t test = 0;
  std::string sha256;                ///< of the files' content and of what the spec says of them
};

/// Everything in memory, encoded: float32 inputs, labels or float targets. About 4 bytes x examples x features.
struct Dataset {
  Schema schema;
  std::vector<float> inputs;               ///< [examples, ...schema.input], row-major
  std::vector<std::int64_t> labels;        ///< [examples], classification
  std::vector<float> values;               ///< [examples, targets], regression
  std::vector<std::int64_t> train, val, test;  ///< row numbers; order is part of the result
};

/// Where files are looked for, first the folder the spec named, then --data DIR / DLRUN_DATA.
struct Locations {
  std::vector<std::filesystem::path> folders;
};

/// The normalised `data:` section (op: csv | idx) to its schema. Cached by path, size and mtime under
/// XDG_CACHE_HOME/dlrun/schema. `seed`: the study's seed (splits are drawn by it).
/// @throws DataError: missing file (says every place looked at, and where to put it), truncated, wrong magic, ….
Schema inspect(const Json& data, const Locations& where, std::uint64_t seed);

/// The data itself. Same errors.
Dataset load(const Json& data, const Locations& where, std::uint64_t seed);

}  // namespace dlrun::dataset
