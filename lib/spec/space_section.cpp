// SPDX-License-Identifier: Apache-2.0
#include "spec/space_section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spec/constraints_section.hpp"
#include "spec/domains.hpp"
#include "spec/reading.hpp"
#include "util/error.hpp"

namespace dlrun::spec {

using document::Entry;
using document::Node;

std::string path_of(const Json& parameter) { return join("space", parameter["name"].get<std::string>()); }

bool is_parameter_name(const std::string& name) {
  const auto is_good = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-'; };
  return !name.empty() && name.size() <= 100 && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         name[0] != '-' && name[0] != '.' && std::all_of(name.begin(), name.end(), is_good);
}

namespace {

constexpr std::size_t kMostParameters = 1000;

Entry* find_or_null(Node& node, const char* key) { return node.find_entry(key); }

Node scalar_like(const Node& place, const std::string& text) {
  Node out;
  out.kind = Node::Kind::scalar;
  out.span = place.span;
  out.text = text;
  out.is_plain = true;
  return out;
}

/// A list is short for categorical; `choices:` alone says categorical, `value:` alone constant.
Node spelled_out(const Node& written) {
  Node node = written;
  if (written.is_list()) {
    node = Node{};
    node.kind = Node::Kind::map;
    node.span = written.span;
    node.entries.push_back({"choices", written.span, written});
  }
  if (!node.is_map() || node.find("type") != nullptr) return node;
  const char* type = find_or_null(node, "choices") != nullptr ? "categorical"
                     : find_or_null(node, "value") != nullptr ? "constant"
                                                              : nullptr;
  if (type != nullptr) node.entries.push_back({"type", node.span, scalar_like(node, type)});
  return node;
}

space::Type type_of(const std::string& name) {
  if (name == "float") return space::Type::real;
  if (name == "int") return space::Type::integer;
  if (name == "categorical") return space::Type::categorical;
  return name == "ordinal" ? space::Type::ordinal : space::Type::constant;
}

/// The parameter without its conditions.
space::Parameter make_parameter(const Json& json) {
  space::Parameter out;
  out.name = json["name"].get<std::string>();
  out.at = json["at"].is_string() ? json["at"].get<std::string>() : "";
  out.type = type_of(json["type"].get<std::string>());
  if (json.contains("low")) {
    out.low = json["low"].get<double>();
    out.high = json["high"].get<double>();
    out.log = json["scale"] == "log";
    if (!json["step"].is_null()) out.step = json["step"].get<double>();
  }
  if (json.contains("choices")) out.choices = json["choices"].get<std::vector<Json>>();
  if (json.contains("value")) out.choices = {json["value"]};
  return out;
}

/// The parameters before this one, by name.
const Json* earlier(const Json& space, const std::string& name) {
  for (const Json& parameter : space) {
    if (parameter["name"] == name) return &parameter;
  }
  return nullptr;
}

void check_condition(const Json& on, const Json& values, const std::string& path, Faults& faults) {
  if (faults.is_bad(path_of(on))) return;
  if (values.empty()) return faults.at(path, "the condition names no value, so it never holds");
  const space::Space alone({make_parameter(on)});
  for (std::size_t i = 0; i < values.size(); ++i) {
    try {
      (void)alone.from_json(0, values[i]);
    } catch (const Error& fault) {
      const std::string one = join(path, std::to_string(i));
      faults.at(faults.was_written(one) ? one : path, fault.what(), fault.hint());
    }
  }
}

void check_when(const Json& space, const Json& parameter, const std::vector<std::string>& all, Faults& faults) {
  if (!parameter["when"].is_object()) return;
  for (const auto& [name, values] : parameter["when"].items()) {
    const std::string path = join(join(path_of(parameter), "when"), name);
    if (parameter["name"] == name) {
      faults.at_key(path, fmt::format("'{}' cannot depend on itself", name));
    } else if (const Json* on = earlier(space, name)) {
      check_condition(*on, values, path, faults);
    } else if (std::find(all.begin(), all.end(), name) != all.end()) {
      faults.at_key(path,
                    fmt::format("'{}' stands below '{}', a condition needs an earlier parameter", name,
                                parameter["name"].get<std::string>()),
                    fmt::format("move '{}' up", name));
    } else {
      faults.at_key(path, fmt::format("there is no parameter '{}'", name), suggest(name, all));
    }
  }
}

/// Places and nodes of the parameters, whether `space:` is a map or a list of maps with names.
std::vector<Entry> entries_of(const Node& node, Faults& faults) {
  if (node.is_map()) return node.entries;
  std::vector<Entry> out;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    Node item = node.items[i];
    const Entry* name = item.find_entry("name");
    if (!item.is_map() || name == nullptr || !name->value.is_scalar()) {
      faults.list.error(item.span, "a parameter in a list needs a 'name'", "write {name: lr, type: float, …}");
      continue;
    }
    const Entry named{name->value.text, name->value.span, {}};
    std::erase_if(item.entries, [](const Entry& e) { return e.key == "name"; });
    out.push_back({named.key, named.key_span, std::move(item)});
  }
  return out;
}

Json read_parameter(const Entry& entry, Faults& faults) {
  const std::string path = join("space", entry.key);
  faults.wrote(path, {entry.key_span, entry.value.span});
  if (!is_parameter_name(entry.key)) {
    faults.at_key(path, document::quote(entry.key) + " is no name for a parameter", kParameterNames);
    return nullptr;
  }
  const Node node = spelled_out(entry.value);
  Json out = read(&node, parameter_key(), path, faults);
  if (!out.is_object()) return nullptr;
  out["name"] = entry.key;
  check_domain(out, path, faults);
  return out;
}

}  // namespace

Json read_space(const Node& node, Faults& faults) {
  Json out = Json::array();
  if (!node.is_map() && !node.is_list()) {
    faults.at("space", "'space' must be a map of parameters, not " + describe(node), "write lr: {type: float, …}");
    return out;
  }
  const std::vector<Entry> entries = entries_of(node, faults);
  if (entries.size() > kMostParameters) {
    faults.at_key("space", fmt::format("the space has more than {} parameters", kMostParameters));
    return out;
  }
  std::vector<std::string> all;
  for (const Entry& entry : entries) all.push_back(entry.key);
  for (const Entry& entry : entries) {
    if (earlier(out, entry.key) != nullptr) {
      faults.list.error(entry.key_span, "parameter " + document::quote(entry.key) + " is given twice");
      continue;
    }
    Json parameter = read_parameter(entry, faults);
    if (!parameter.is_object()) continue;
    check_when(out, parameter, all, faults);
    out.push_back(std::move(parameter));
  }
  return out;
}

space::Space make_space(const Json& space, const Json& constraints) {
  std::vector<space::Parameter> parameters;
  for (const Json& json : space) {
    space::Parameter parameter = make_parameter(json);
    const Json when = json.value("when", Json());
    for (const auto& [name, values] : when.items()) {
      space::Condition condition;
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].name == name) condition.parameter = i;
      }
      const space::Space alone({make_parameter(space.at(condition.parameter))});
      for (const Json& value : values) condition.any_of.push_back(alone.from_json(0, value));
      parameter.when.push_back(std::move(condition));
    }
    parameters.push_back(std::move(parameter));
  }
  if (constraints.empty()) return space::Space(std::move(parameters));
  return space::Space(parameters, make_constraints(constraints, space::Space(parameters)));
}

std::vector<Json> values_in_study(const Json& trial, const Json& space, const std::string& place) {
  std::vector<Json> values;
  bool is_always_set = false;
  for (const Json& parameter : space) {
    if (parameter.value("at", Json()) != place) continue;
    for (const char* key : {"low", "high", "value"}) {
      if (parameter.contains(key)) values.push_back(parameter[key]);
    }
    for (const Json& choice : parameter.value("choices", Json::array())) values.push_back(choice);
    is_always_set = is_always_set || !parameter.value("when", Json()).is_object();
  }
  std::string pointer = "/" + place;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  const Json::json_pointer base(pointer);
  if (!is_always_set) values.push_back(trial.contains(base) ? trial[base] : Json());
  return values;
}

int most_batches(const Json& trial, const Json& space) {
  int most = 1;
  for (const Json& count : values_in_study(trial, space, "accumulate")) {
    if (count.is_number_integer()) most = std::max(most, count.get<int>());
  }
  return most;
}

}  // namespace dlrun::spec
