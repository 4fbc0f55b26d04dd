// SPDX-License-Identifier: Apache-2.0
// A document through the table of keys to its normal form: types, ranges, unknown and missing keys, defaults.
#pragma once
#include "document/faults.hpp"
#include "document/node.hpp"
#include "options/key.hpp"

namespace dlrun::document {

constexpr int kAfterFiles = 1000;  ///< faults of `--set` are sorted behind those of every file

/// Reads `node` as `key` says and notes where each path was written. `node` may be nullptr: not given, so the default.
/// A fault is reported, and the default (or null) stands in the value's place.
Json read(const Node* node, const options::Key& key, const std::string& path, Faults& faults);

/// All keys of a table out of one map.
Json read_table(const Node& node, const options::Table& table, const std::string& path, const std::string& what,
                Faults& faults);

/// A file that stands for itself, without `--set`. Faults without another place point at its root.
/// @throws DocumentError where it is no sound map, Error(usage) where it cannot be read
Node load_file(const std::filesystem::path& file, Faults& faults);

/// A node without a table: numbers, texts, lists and maps as they look.
Json read_any(const Node& node, const std::string& path, Faults& faults);

}  // namespace dlrun::document
