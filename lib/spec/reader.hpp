// SPDX-License-Identifier: Apache-2.0
// A document through the table of keys to its normal form: types, ranges, unknown and missing keys, defaults.
#pragma once
#include "document/node.hpp"
#include "spec/faults.hpp"
#include "spec/keys.hpp"

namespace dlrun::spec {

constexpr int kAfterFiles = 1000;  ///< faults of `--set` are sorted behind those of every file

/// Reads `node` as `key` says and notes where each path was written. `node` may be nullptr: not given, so the default.
/// Where something is wrong it is reported, and the default (or null) stands in its place.
Json read(const document::Node* node, const Key& key, const std::string& path, Faults& faults);

/// All keys of a table out of one map.
Json read_table(const document::Node& node, const Table& table, const std::string& path, const std::string& what,
                Faults& faults);

/// Without a table: numbers, texts, lists and maps as they look.
Json read_any(const document::Node& node, const std::string& path, Faults& faults);

}  // namespace dlrun::spec
