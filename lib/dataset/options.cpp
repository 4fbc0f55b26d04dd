// SPDX-License-Identifier: Apache-2.0
#include "dataset/options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "util/value_form.hpp"

namespace dlrun::dataset {

namespace {

ValueForm form_of(const Option& option) { return {option.type, option.low, option.high, std::nullopt}; }

/// One column is a list of one.
Json as_list(const Option& option, const Json& value) {
  const bool is_one = option.type.rfind("list", 0) == 0 && !value.is_array() && value != option.fallback;
  return is_one ? Json::array({value}) : value;
}

std::string inside(const std::string& path, const std::string& key) { return path.empty() ? key : path + '.' + key; }

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
  if (is_absent) return option.fallback;
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
      faults.add({inside(path, key), fmt::format("the data section has no '{}'", inside(path, key)),
                  hint_for_name(key, known)});
  }
  return filled;
}

}  // namespace dlrun::dataset
