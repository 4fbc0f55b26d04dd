// SPDX-License-Identifier: Apache-2.0
// One value of a section, read by its key and written again. A value outside the key's type or bounds is rejected with
// its place: "optimizer.lr is -1, but must be in (0, inf)".
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "options/key.hpp"

namespace dlrun::options {

/// "optimizer" and "lr": "optimizer.lr"; an empty place adds nothing.
std::string place_of(const std::string& place, const std::string& name);

/// @throws Error(usage), always
[[noreturn]] void refuse(const std::string& place, const Json& value, const std::string& wanted);
[[noreturn]] void refuse_name(const std::string& place, const std::string& name, const std::vector<std::string>& known);

/// A section as a map: a name is short for {op: NAME}, a list for {op: `list_kind`, parts: the list}, null for no key.
/// @throws Error(usage) for anything else
Json as_map(const Json& section, const std::string& place, const std::string& list_kind = {});
std::string op_of(const Json& map, const std::string& fallback);

/// Whether a number is finite and within the key's bounds.
bool in_range(double value, const Key& key);

/// The value of a key; its default if the section has none; null if there is neither.
/// @throws Error(usage) if a required key has no value
const Json& value_of(const Json& section, const Key& key, const std::string& place);

/// @param value  not null; `key` has the member's type
/// @throws Error(usage) for another type or a value outside the bounds; all of these
void read_value(const Json& value, const Key& key, const std::string& place, double& out);
void read_value(const Json& value, const Key& key, const std::string& place, std::int64_t& out);
void read_value(const Json& value, const Key& key, const std::string& place, int& out);
void read_value(const Json& value, const Key& key, const std::string& place, bool& out);
void read_value(const Json& value, const Key& key, const std::string& place, std::string& out);  ///< text or choice
inline void read_value(const Json& value, const Key&, const std::string&, Json& out) { out = value; }

template <class Value>
void read_value(const Json& value, const Key& key, const std::string& place, std::optional<Value>& out) {
  read_value(value, key, place, out.emplace());
}

/// The elements of a list. A single value is a list of one if the key allows it.
std::vector<Json> items_of(const Json& value, const Key& key, const std::string& place);

template <class Value>
void read_value(const Json& value, const Key& key, const std::string& place, std::vector<Value>& out) {
  out.clear();
  for (const Json& item : items_of(value, key, place)) {
    const std::string at = place_of(place, std::to_string(out.size()));
    read_value(item, *key.element, at, out.emplace_back());
  }
}

/// A free map; a name without a value has no entry.
template <class Value>
void read_value(const Json& value, const Key& key, const std::string& place, std::map<std::string, Value>& out) {
  out.clear();
  const Json map = as_map(value, place);
  for (const auto& [name, item] : map.items()) {
    if (!item.is_null()) read_value(item, *key.element, place_of(place, name), out[name]);
  }
}

template <class Value, std::size_t kCount>
void read_value(const Json& value, const Key& key, const std::string& place, std::array<Value, kCount>& out) {
  const std::vector<Json> items = items_of(value, key, place);
  if (items.size() != kCount) refuse(place, value, "a list of " + std::to_string(kCount));
  for (std::size_t i = 0; i < kCount; ++i) {
    read_value(items[i], *key.element, place_of(place, std::to_string(i)), out[i]);
  }
}

template <class Value>
Json written(const Value& value) {
  return Json(value);
}

template <class Value>
Json written(const std::optional<Value>& value) {
  return value ? written(*value) : Json();
}

}  // namespace dlrun::options
