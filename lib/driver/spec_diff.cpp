// SPDX-License-Identifier: Apache-2.0
#include "driver/spec_diff.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "options/value.hpp"
#include "spec/normal.hpp"

namespace dlrun::driver {

namespace {

using Places = std::map<std::string, std::string>;

constexpr std::size_t kLimit = 60;  ///< bytes of a value in a line

/// Part of a value that a line shows. @param begin  first byte of it
std::string excerpt(const std::string& value, std::size_t begin) {
  std::string text = begin > 0 ? "..." + value.substr(begin) : value;
  if (text.size() > kLimit) text = text.substr(0, kLimit - 3) + "...";
  return text;
}

/// "left -> right"; long values show the part in which they differ.
std::string change(const std::string& left, const std::string& right) {
  constexpr std::size_t kBefore = 20;
  const auto at = std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first - left.begin();
  const auto same = static_cast<std::size_t>(at);
  const std::size_t begin = same + kBefore < kLimit ? 0 : same - kBefore;
  return fmt::format("{} -> {}", excerpt(left, begin), excerpt(right, begin));
}

/// Elements of lists go by their name where they have one, so that one inserted layer is one difference.
void flatten(const Json& value, const std::string& place, Places& out) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, item] : value.items()) flatten(item, options::place_of(place, key), out);
  } else if (value.is_array() && !value.empty()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Json& item = value[i];
      const bool is_named = item.is_object() && item.contains("name") && item["name"].is_string();
      const std::string name = is_named ? item["name"].get<std::string>() : std::to_string(i);
      flatten(item, options::place_of(place, name), out);
    }
  } else if (!place.empty()) {
    out[place] = to_text(value);
  }
}

Places places_of(const Json& spec) {
  Places out;
  flatten(spec, "", out);
  return out;
}

/// Spec without the places that are not part of a study.
Json study_of(Json spec) {
  if (spec.is_object()) {
    spec.erase("resources");
    spec.erase("executor");
    if (spec.contains("limits") && spec["limits"].is_object()) {
      spec["limits"].erase("wall");
      spec["limits"].erase("gpu_hours");
    }
    if (spec.contains("retry") && spec["retry"].is_object()) {
      for (const char* key : spec::kWhenAndWhere) spec["retry"].erase(key);
    }
  }
  return spec;
}

constexpr const char* kNoValue = "(nothing)";

std::string text_at(const Places& places, const std::string& place) {
  const auto found = places.find(place);
  return found == places.end() ? kNoValue : found->second;
}

/// A list that is filled leaves its own place without a value, where it was null before.
bool has_no_value(const std::string& value) { return value == kNoValue || value == "null"; }

}  // namespace

std::vector<std::string> spec_diff(const Json& before, const Json& now, std::size_t limit) {
  return whole_diff(study_of(before), study_of(now), limit);
}

std::vector<std::string> whole_diff(const Json& before, const Json& now, std::size_t limit) {
  const Places old_places = places_of(before);
  const Places new_places = places_of(now);
  std::set<std::string> all;
  for (const auto& [place, unused] : old_places) all.insert(place);
  for (const auto& [place, unused] : new_places) all.insert(place);
  std::vector<std::string> lines;
  for (const std::string& place : all) {
    const std::string left = text_at(old_places, place), right = text_at(new_places, place);
    if (left != right && !(has_no_value(left) && has_no_value(right)))
      lines.push_back(fmt::format("{}: {}", place, change(left, right)));
  }
  if (lines.size() > limit) {
    const std::string rest = "… and " + std::to_string(lines.size() - limit) + " more";
    lines.resize(limit);
    lines.push_back(rest);
  }
  return lines;
}

}  // namespace dlrun::driver
