// SPDX-License-Identifier: Apache-2.0
#include "mcp/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "util/edit_distance.hpp"
#include "util/error.hpp"
#include "util/visible.hpp"

namespace dlrun::mcp {

namespace {

constexpr std::size_t kLongestName = 60;  // bytes of a name that a message repeats

Json base_schema(const Parameter& parameter) {
  const Json scalar = {{"type", Json::array({"string", "number", "boolean"})}};
  switch (parameter.type) {
    case Type::text: return {{"type", "string"}, {"maxLength", parameter.longest}};
    case Type::whole: return {{"type", "integer"}, {"minimum", parameter.least}};
    case Type::number: return {{"type", "number"}};
    case Type::flag: return {{"type", "boolean"}};
    case Type::texts: return {{"type", "array"}, {"items", {{"type", "string"}}}, {"maxItems", parameter.count}};
    case Type::values:
      return {{"type", "object"}, {"additionalProperties", scalar}, {"maxProperties", parameter.count}};
  }
  return Json::object();
}

Json schema_of(const Parameter& parameter) {
  Json out = base_schema(parameter);
  out["description"] = parameter.text;
  if (!parameter.choices.empty()) out["enum"] = parameter.choices;
  if (parameter.type == Type::whole && parameter.most < std::numeric_limits<std::int64_t>::max())
    out["maximum"] = parameter.most;
  return out;
}

[[noreturn]] void refuse(const Parameter& parameter, const std::string& rule) {
  throw Error(ErrorKind::usage, fmt::format("the argument '{}' {}", parameter.name, rule), parameter.text);
}

void check_text(const Parameter& parameter, const Json& value) {
  if (!value.is_string()) refuse(parameter, "must be a text");
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > parameter.longest) refuse(parameter, fmt::format("has more than {} bytes", parameter.longest));
  if (text.find('\0') != std::string::npos) refuse(parameter, "holds a zero byte");
  const auto& known = parameter.choices;
  if (!known.empty() && std::find(known.begin(), known.end(), text) == known.end())
    refuse(parameter, fmt::format("must be one of {}", fmt::join(known, ", ")));
}

void check_whole(const Parameter& parameter, const Json& value) {
  const bool is_huge = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(INT64_MAX);
  if (!value.is_number_integer() || is_huge) refuse(parameter, "must be a whole number");
  const auto number = value.get<std::int64_t>();
  if (number < parameter.least) refuse(parameter, fmt::format("must be at least {}", parameter.least));
  if (number > parameter.most) refuse(parameter, fmt::format("must be at most {}", parameter.most));
}

void check_texts(const Parameter& parameter, const Json& value) {
  if (!value.is_array()) refuse(parameter, "must be a list of texts");
  if (value.size() > parameter.count) refuse(parameter, fmt::format("has more than {} elements", parameter.count));
  for (const Json& item : value) check_text(parameter, item);
}

void check_values(const Parameter& parameter, const Json& value) {
  if (!value.is_object()) refuse(parameter, "must be an object");
  if (value.size() > parameter.count) refuse(parameter, fmt::format("has more than {} entries", parameter.count));
  for (const auto& [name, one] : value.items()) {
    if (one.is_structured() || one.is_null()) refuse(parameter, "holds something else than texts, numbers and flags");
    if (one.is_string()) check_text(parameter, one);
    check_text(parameter, name);
  }
}

void check_one(const Parameter& parameter, const Json& value) {
  switch (parameter.type) {
    case Type::text: return check_text(parameter, value);
    case Type::whole: return check_whole(parameter, value);
    case Type::texts: return check_texts(parameter, value);
    case Type::values: return check_values(parameter, value);
    case Type::number:
      if (!value.is_number()) refuse(parameter, "must be a number");
      return;
    case Type::flag:
      if (!value.is_boolean()) refuse(parameter, "must be true or false");
  }
}

void refuse_unknown(const Parameters& parameters, const std::string& name) {
  std::vector<std::string> known;
  for (const Parameter& parameter : parameters) known.push_back(parameter.name);
  const std::string shown = visible(name.substr(0, kLongestName));
  const std::string nearest = nearest_name(name.substr(0, kLongestName), known);
  const std::string list =
      known.empty() ? std::string("it takes none") : fmt::format("there are {}", fmt::join(known, ", "));
  throw Error(ErrorKind::usage, fmt::format("there is no argument '{}'", shown),
              nearest.empty() ? list : fmt::format("did you mean '{}'?", nearest));
}

}  // namespace

Json schema_of(const Parameters& parameters) {
  Json properties = Json::object(), required = Json::array();
  for (const Parameter& parameter : parameters) {
    properties[parameter.name] = schema_of(parameter);
    if (parameter.is_required) required.push_back(parameter.name);
  }
  Json out = {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) out["required"] = std::move(required);
  return out;
}

void check(const Parameters& parameters, const Json& arguments) {
  for (const auto& argument : arguments.items()) {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& parameter) { return parameter.name == argument.key(); });
    if (found == parameters.end()) return refuse_unknown(parameters, argument.key());
    check_one(*found, argument.value());
  }
  for (const Parameter& parameter : parameters) {
    if (parameter.is_required && !arguments.contains(parameter.name)) refuse(parameter, "is missing");
  }
}

}  // namespace dlrun::mcp
