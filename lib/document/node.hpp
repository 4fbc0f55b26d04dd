// SPDX-License-Identifier: Apache-2.0
// A tree of values with places, and the meaning of scalars by YAML 1.2's core schema.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "document/source.hpp"

namespace dlrun::document {

struct Entry;

/// One value. Aliases are expanded, environment variables filled in, `extends:` merged.
struct Node {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  Span span;
  std::string text;            ///< scalar: its text, quotes removed
  bool is_broken = false;      ///< an environment variable of it, or a file it extends, is missing: that was reported
  bool is_plain = false;       ///< scalar: typed by its look; false: quoted, always text
  std::vector<Node> items;     ///< list
  std::vector<Entry> entries;  ///< map, in the order written; keys are unique

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
  /// Value under `key`; nullptr where there is none or this is no map.
  const Node* find(std::string_view key) const;
  Entry* find_entry(std::string_view key);
};

struct Entry {
  std::string key;
  Span key_span;
  Node value;
};

/// A scalar whose look is a number, but which two readers would read differently, or which fits no machine number.
struct BadNumber {
  std::string message;  ///< "'010' is octal to some readers and decimal to others"
  std::string help;
  bool operator==(const BadNumber&) const = default;
};

/// null, true, integer, real, text or a trap.
using Scalar = std::variant<std::monostate, bool, std::int64_t, double, std::string, BadNumber>;

/// Type and value of a node by YAML 1.2 core. REQUIRES: node is null or a scalar.
Scalar classify(const Node& node);

/// "text 'abc'", "a list", "12", "nothing": what was found, for messages.
std::string describe(const Node& node);

}  // namespace dlrun::document
