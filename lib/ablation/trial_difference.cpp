// SPDX-License-Identifier: Apache-2.0
#include "ablation/trial_difference.hpp"

#include <set>

#include "document/faults.hpp"

namespace dlrun::ablation {

namespace {

using Places = std::vector<std::pair<std::string, Json>>;

Json at_or_null(const Json& map, const std::string& key) { return map.value(key, Json()); }

bool is_of_another_kind(const Json& a, const Json& b) {
  return at_or_null(a, "op") != at_or_null(b, "op") || at_or_null(a, "kind") != at_or_null(b, "kind");
}

/// Layers with the same names in the same order.
bool are_alike(const Json& a, const Json& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool is_named = a[i].is_object() && b[i].is_object() && a[i].contains("name");
    if (!is_named || a[i]["name"] != at_or_null(b[i], "name")) return false;
  }
  return !a.empty();
}

void compare(const Json& from, const Json& to, const std::string& path, Places& out) {
  if (from == to) return;
  if (from.is_object() && to.is_object() && !is_of_another_kind(from, to)) {
    std::set<std::string> keys;
    for (const auto& [key, value] : from.items()) keys.insert(key);
    for (const auto& [key, value] : to.items()) keys.insert(key);
    for (const std::string& key : keys)
      compare(at_or_null(from, key), at_or_null(to, key), document::join(path, key), out);
    return;
  }
  if (from.is_array() && to.is_array() && are_alike(from, to)) {
    for (std::size_t i = 0; i < to.size(); ++i)
      compare(from[i], to[i], document::join(path, to[i]["name"].get<std::string>()), out);
    return;
  }
  out.emplace_back(path, from);
}

}  // namespace

Places differences(const Json& from, const Json& to) {
  Json a = from, b = to;
  for (const char* key : {"first_replicate", "replicates", "log", "metrics", "folder"}) {
    a.erase(key);
    b.erase(key);
  }
  Places out;
  compare(a, b, "", out);
  return out;
}

}  // namespace dlrun::ablation
