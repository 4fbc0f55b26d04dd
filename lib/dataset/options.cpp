// SPDX-License-Identifier: Apache-2.0
#include "dataset/options.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "util/edit_distance.hpp"

namespace dlrun::dataset {

namespace {

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::size_t end = text.find(separator, at);
    parts.emplace_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    at = end == std::string_view::npos ? end : end + separator.size();
  }
  return parts;
}

bool is_enum(const std::string& form) { return form.rfind("enum:", 0) == 0; }

std::vector<std::string> literals(const std::string& form) { return split(std::string_view(form).substr(5), "|"); }

bool in_range(const Json& number, const Option& option) {
  const double value = number.get<double>();
  return std::isfinite(value) && value >= option.low.value_or(-HUGE_VAL) && value <= option.high.value_or(HUGE_VAL);
}

bool is_column(const Json& value) { return value.is_string() || value.is_number_integer(); }

bool has_form(const Json& value, const std::string& form, const Option& option) {
  if (form == "int") return value.is_number_integer() && in_range(value, option);
  if (form == "float") return value.is_number() && in_range(value, option);
  if (form == "bool") return value.is_boolean();
  if (form == "string") return value.is_string();
  if (form == "map") return value.is_object();
  if (form == "list") {
    return is_column(value) || (value.is_array() && std::all_of(value.begin(), value.end(), is_column));
  }
  const std::vector<std::string> known = literals(form);
  return value.is_string() && std::find(known.begin(), known.end(), value.get<std::string>()) != known.end();
}

std::string describe_range(const Option& option) {
  if (option.low && option.high) return fmt::format(" from {} to {}", *option.low, *option.high);
  return option.low ? fmt::format(" of at least {}", *option.low) : "";
}

std::string describe_form(const std::string& form, const Option& option) {
  if (form == "int") return "a whole number" + describe_range(option);
  if (form == "float") return "a number" + describe_range(option);
  if (form == "bool") return "true or false";
  if (form == "string") return "a text";
  if (form == "map") return "a map";
  if (form == "list") return "a list of names or numbers";
  return fmt::format("one of {}", fmt::join(literals(form), ", "));
}

std::string describe(const Option& option) {
  std::vector<std::string> parts;
  for (const std::string& form : split(option.type, "-or-")) parts.push_back(describe_form(form, option));
  return fmt::format("{}", fmt::join(parts, ", or "));
}

bool is_right(const Option& option, const Json& value) {
  const std::vector<std::string> forms = split(option.type, "-or-");
  return std::any_of(forms.begin(), forms.end(),
                     [&](const std::string& form) { return has_form(value, form, option); });
}

std::string literal_hint(const Option& option, const Json& value) {
  if (!value.is_string()) return {};
  for (const std::string& form : split(option.type, "-or-")) {
    if (!is_enum(form)) continue;
    const std::string nearest = nearest_name(value.get<std::string>(), literals(form));
    if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  }
  return {};
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
  if (!is_right(option, *found)) {
    faults.add({inside(path, option.name),
                fmt::format("'{}' must be {}, but is {}", option.name, describe(option), quoted(*found)),
                literal_hint(option, *found)});
    return option.fallback;
  }
  const bool is_one_of_list = option.type.rfind("list", 0) == 0 && is_column(*found) && *found != option.fallback;
  return is_one_of_list ? Json::array({*found}) : *found;
}

}  // namespace

std::string quoted(const Json& value) {
  constexpr std::size_t kLongest = 60;
  const std::string text = to_text(value);
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "…";
}

std::string hint_for(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t kMostListed = 20;
  const std::string nearest = nearest_name(name, known);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  const std::size_t count = std::min(known.size(), kMostListed);
  return fmt::format("there are {}{}",
                     fmt::join(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(count), ", "),
                     count < known.size() ? ", …" : "");
}

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
      faults.add(
          {inside(path, key), fmt::format("the data section has no '{}'", inside(path, key)), hint_for(key, known)});
  }
  return filled;
}

}  // namespace dlrun::dataset
