// SPDX-License-Identifier: Apache-2.0
#include "dataset/options.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/form.hpp"
#include "options/value.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

/// One column is a list of one, and so is one number.
Json as_list(const options::Key& option, const Json& value) {
  if (takes(option, options::Form::named_columns) && value.is_object()) {
    Json lists = Json::object();
    for (const auto& [name, columns] : value.items())
      lists[name] = columns.is_array() ? columns : Json::array({columns});
    return lists;
  }
  const bool takes_list = option.form == options::Form::columns || option.form == options::Form::numbers;
  const bool is_one = takes_list && !value.is_array() && value != option.fallback;
  return is_one ? Json::array({value}) : value;
}

/// Names of kinds that have a key.
std::vector<std::string> kinds_with(const options::Key& option, const std::string& key) {
  std::vector<std::string> kinds;
  for (const options::Variant& kind : option.variants) {
    if (find(kind.table, key) != nullptr) kinds.push_back(kind.name);
  }
  return kinds;
}

/// Removes keys that other kinds have, and this one does not.
void refuse_foreign(Json& map, const options::Key& option, const options::Variant& kind, const std::string& path,
                    Faults& faults) {
  const Json written = map;
  for (const auto& [key, value] : written.items()) {
    const std::vector<std::string> kinds = kinds_with(option, key);
    if (kinds.empty() || find(kind.table, key) != nullptr) continue;
    faults.add(DataError::unknown_key(options::place_of(path, key),
                                      fmt::format("'{}' changes nothing with {} {}", key, option.tag, kind.name),
                                      fmt::format("it belongs to {}", fmt::join(kinds, ", "))));
    map.erase(key);
  }
}

/// A map with the kind at its tag, or the kind's mere name.
Json read_kind(const Json& value, const options::Key& option, const std::string& path, Faults& faults) {
  Json map = value.is_string() ? Json{{option.tag, value}} : value;
  const Json op = map.is_object() ? map.value(option.tag, Json()) : Json();
  std::vector<std::string> known;
  for (const options::Variant& kind : option.variants) {
    known.push_back(kind.name);
    if (op != kind.name) continue;
    map.erase(option.tag);
    refuse_foreign(map, option, kind, path, faults);
    Json filled = fill_in(map, kind.table, path, faults);
    filled[option.tag] = kind.name;
    return filled;
  }
  if (op.is_null()) {
    faults.add({path, fmt::format("'{}' needs '{}', its kind", path, option.tag), hint_for_name("", known)});
  } else {
    faults.add({options::place_of(path, option.tag), fmt::format("'{}' knows no {}", option.name, quoted(op)),
                hint_for_name(op.is_string() ? op.get<std::string>() : "", known)});
  }
  return nullptr;
}

/// Items of a list of kinds that could be read.
Json read_kinds(const Json& list, const options::Key& kind, const std::string& path, Faults& faults) {
  Json filled = Json::array();
  if (!list.is_array()) {
    faults.add({path, fmt::format("'{}' must be a list, but is {}", path, quoted(list)), "e.g. [{op: flip}, …]"});
    return filled;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    Json item = read_kind(list[i], kind, options::place_of(path, std::to_string(i)), faults);
    if (!item.is_null()) filled.push_back(std::move(item));
  }
  return filled;
}

Json read_one(const Json& map, const options::Key& option, const std::string& path, Faults& faults) {
  const auto found = map.find(option.name);
  const bool is_absent = found == map.end() || found->is_null();
  if (is_absent && option.required) {
    faults.add({path, fmt::format("the data section needs '{}'", option.name),
                fmt::format("{}: {}", option.name, option.text)});
  }
  if (is_absent && option.fallback.is_null() && !option.otherwise.empty()) return nullptr;
  if (option.form == options::Form::table && (is_absent || found->is_object())) {
    return fill_in(is_absent ? Json::object() : *found, option.table, options::place_of(path, option.name), faults);
  }
  if (option.form == options::Form::variant)
    return read_kind(is_absent ? option.fallback : *found, option, options::place_of(path, option.name), faults);
  if (is_absent) return option.fallback;
  if (option.form == options::Form::list)
    return read_kinds(*found, *option.element, options::place_of(path, option.name), faults);
  if (has_form(*found, option)) return as_list(option, *found);
  faults.add({options::place_of(path, option.name), describe_misfit(option, *found), hint_for_value(option, *found)});
  return option.fallback;
}

}  // namespace

Json fill_in(const Json& map, const options::Table& options, const std::string& path, Faults& faults) {
  std::vector<std::string> known;
  if (path.empty()) known.emplace_back("op");
  Json filled = Json::object();
  for (const options::Key& option : options) {
    known.push_back(option.name);
    filled[option.name] = read_one(map, option, path, faults);
  }
  for (const auto& [key, value] : map.items()) {
    const bool is_known = std::find(known.begin(), known.end(), key) != known.end();
    if (!is_known)
      faults.add(DataError::unknown_key(options::place_of(path, key),
                                        fmt::format("the data section has no '{}'", options::place_of(path, key)),
                                        hint_for_name(key, known)));
  }
  return filled;
}

options::Key cache_option(const char* what) {
  return boolean("cache", fmt::format("keep {} for the next time (default); never a bit", what));
}

bool uses_cache(const Json& data) { return data.value("cache", Json()) != false; }

}  // namespace dlrun::dataset
