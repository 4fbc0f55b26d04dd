// SPDX-License-Identifier: Apache-2.0
#include "dataset/options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "util/value_form.hpp"

namespace dlrun::dataset {

namespace {

ValueForm form_of(const Option& option) { return {option.type, option.low, option.high, std::nullopt}; }

/// One column is a list of one, and so is one number.
Json as_list(const Option& option, const Json& value) {
  if (option.type.ends_with("columns") && value.is_object()) {
    Json lists = Json::object();
    for (const auto& [name, columns] : value.items())
      lists[name] = columns.is_array() ? columns : Json::array({columns});
    return lists;
  }
  const bool takes_list = option.type.rfind("list", 0) == 0 || option.type == "numbers";
  const bool is_one = takes_list && !value.is_array() && value != option.fallback;
  return is_one ? Json::array({value}) : value;
}

std::string inside(const std::string& path, const std::string& key) { return path.empty() ? key : path + '.' + key; }

/// A map with an `op`, or its mere name.
Json read_kind(const Json& value, const Option& option, const std::string& path, Faults& faults) {
  Json map = value.is_string() ? Json{{"op", value}} : value;
  const Json op = map.is_object() ? map.value("op", Json()) : Json();
  std::vector<std::string> known;
  for (const DataKind& kind : option.kinds) {
    known.push_back(kind.op);
    if (op != kind.op) continue;
    map.erase("op");
    Json filled = fill_in(map, kind.options, path, faults);
    filled["op"] = kind.op;
    return filled;
  }
  if (op.is_null()) {
    faults.add({path, fmt::format("'{}' needs 'op', its kind", path), hint_for_name("", known)});
  } else {
    faults.add({inside(path, "op"), fmt::format("'{}' knows no {}", option.name, quoted(op)),
                hint_for_name(op.is_string() ? op.get<std::string>() : "", known)});
  }
  return nullptr;
}

/// Items of a list of kinds that could be read.
Json read_kinds(const Json& list, const Option& option, const std::string& path, Faults& faults) {
  Json filled = Json::array();
  if (!list.is_array()) {
    faults.add({path, fmt::format("'{}' must be a list, but is {}", path, quoted(list)), "e.g. [{op: flip}, …]"});
    return filled;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    Json item = read_kind(list[i], option, inside(path, std::to_string(i)), faults);
    if (!item.is_null()) filled.push_back(std::move(item));
  }
  return filled;
}

Json read_one(const Json& map, const Option& option, const std::string& path, Faults& faults) {
  const auto found = map.find(option.name);
  const bool is_absent = found == map.end() || found->is_null();
  if (is_absent && option.required) {
    faults.add({path, fmt::format("the data section needs '{}'", option.name),
                fmt::format("{}: {}", option.name, option.text)});
  }
  if (option.type == "map" && (is_absent || found->is_object())) {
    return fill_in(is_absent ? Json::object() : *found, option.fields, inside(path, option.name), faults);
  }
  if (option.type == "op")
    return read_kind(is_absent ? option.fallback : *found, option, inside(path, option.name), faults);
  if (is_absent) return option.fallback;
  if (option.type == "ops") return read_kinds(*found, option, inside(path, option.name), faults);
  const ValueForm form = form_of(option);
  if (has_form(*found, form)) return as_list(option, *found);
  faults.add({inside(path, option.name), describe_misfit(option.name, form, *found), hint_for_value(form, *found)});
  return option.fallback;
}

}  // namespace

Json fill_in(const Json& map, const std::vector<Option>& options, const std::string& path, Faults& faults) {
  std::vector<std::string> known{"op"};
  Json filled = Json::object();
  for (const Option& option : options) {
    known.push_back(option.name);
    filled[option.name] = read_one(map, option, path, faults);
  }
  for (const auto& [key, value] : map.items()) {
    const bool is_known = std::find(known.begin(), known.end(), key) != known.end() && (key != "op" || path.empty());
    if (!is_known)
      faults.add(DataError::unknown_key(inside(path, key),
                                        fmt::format("the data section has no '{}'", inside(path, key)),
                                        hint_for_name(key, known)));
  }
  return filled;
}

Option cache_option(const char* what) {
  return {
      .name = "cache", .type = "bool", .text = fmt::format("keep {} for the next time (default); never a bit", what)};
}

bool uses_cache(const Json& data) { return data.value("cache", Json()) != false; }

}  // namespace dlrun::dataset
