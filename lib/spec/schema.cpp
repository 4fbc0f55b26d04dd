// SPDX-License-Identifier: Apache-2.0
// The table of keys as JSON Schema draft-07, for editors. Every map may say `extends:`, every optional key may be null,
// and every value may come from the environment.
#include <fmt/format.h>

#include <cmath>

#include "model/graph.hpp"
#include "spec/outside_keys.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::spec {

namespace {

Json schema_of(const Key& key);

Json from_environment() { return {{"$ref", "#/definitions/environment"}}; }

/// Required keys may also come from the files that the map extends.
void require(Json& object, const Json& names) {
  if (names.empty()) return;
  object["if"] = {{"required", {"extends"}}};
  object["then"] = Json::object();
  object["else"] = {{"required", names}};
}

Json required_of(const Json& object) { return object.contains("else") ? object["else"]["required"] : Json::array(); }

Json with(Json names, const std::string& name) {
  names.push_back(name);
  return names;
}

Json object(const Table& table) {
  Json properties = {{"extends", {{"$ref", "#/definitions/extends"}}}};
  Json required = Json::array();
  for (const Key& key : table) {
    properties[key.name] = schema_of(key);
    if (key.required) required.push_back(key.name);
  }
  Json out = {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  require(out, required);
  return out;
}

/// One alternative for each kind; the kind itself may be left out where it is the default.
Json alternatives(const Key& key) {
  Json any_of = Json::array();
  if (!key.required || key.name == "function") any_of.push_back({{"enum", names(key.variants)}});
  for (const Variant& variant : key.variants) {
    Json one = object(variant.table);
    one["title"] = variant.name;
    one["description"] = variant.text;
    one["properties"][key.tag] = {{"const", variant.name}};
    if (key.fallback != variant.name) require(one, with(required_of(one), key.tag));
    if (variant.name == key.list_kind) any_of.push_back(one["properties"]["parts"]);
    any_of.push_back(std::move(one));
  }
  return {{"anyOf", std::move(any_of)}};
}

Json number(const Key& key, const char* type) {
  Json out = {{"type", type}};
  if (std::isfinite(key.low)) out[key.is_above ? "exclusiveMinimum" : "minimum"] = key.low;
  if (std::isfinite(key.high)) out[key.is_below ? "exclusiveMaximum" : "maximum"] = key.high;
  Json forms = {std::move(out), from_environment()};
  if (key.is_computed) forms.push_back({{"$ref", "#/definitions/expression"}});
  return {{"anyOf", std::move(forms)}};
}

Json list_of(const Key& key) {
  Json items = schema_of(*key.element);
  Json list = {{"type", "array"}, {"items", items}};
  if (!key.allows_one) return list;
  return {{"anyOf", {std::move(list), std::move(items)}}};
}

Json one_of_words(const Key& key) { return {{"anyOf", {{{"enum", key.choices}}, from_environment()}}}; }

/// In a file `true` and `false` are no texts.
Json or_word(Json form, const std::vector<std::string>& words) {
  Json all = Json::array();
  for (const std::string& word : words)
    all.push_back(word == "true" || word == "false" ? Json(word == "true") : Json(word));
  Json allowed = all.size() == 1 ? Json{{"const", all.front()}} : Json{{"enum", all}};
  return {{"anyOf", {std::move(form), std::move(allowed)}}};
}

Json integers(const Key& key, int least, int most) {
  return {{"type", "array"}, {"items", number(key, "integer")}, {"minItems", least}, {"maxItems", most}};
}

Json columns() {
  const Json column = {{"type", {"string", "integer"}}};
  return {{"anyOf", {column, {{"type", "array"}, {"items", column}}}}};
}

Json map_to(Json values) { return {{"type", "object"}, {"additionalProperties", std::move(values)}}; }

Json schema_of_form(const Key& key, Form form) {
  switch (form) {
    case Form::boolean: return {{"anyOf", {{{"type", "boolean"}}, from_environment()}}};
    case Form::integer: return number(key, "integer");
    case Form::real: return number(key, "number");
    case Form::text: return {{"type", {"string", "number"}}};
    case Form::choice: return one_of_words(key);
    case Form::duration: return {{"type", {"number", "string"}}};
    case Form::plain: return {{"type", {"string", "number", "boolean"}}};
    case Form::any: return Json::object();
    case Form::list: return list_of(key);
    case Form::map_of: return map_to(schema_of(*key.element));
    case Form::table: return object(key.table);
    case Form::variant: return alternatives(key);
    case Form::pair: return integers(key, 2, 2);
    case Form::shape: return integers(key, 1, 4);
    case Form::integers: return integers(key, 1, 64);
    case Form::numbers:
      return {{"anyOf", {number(key, "number"), {{"type", "array"}, {"items", number(key, "number")}}}}};
    case Form::nodes: return {{"type", "array"}, {"items", {{"$ref", "#/definitions/node"}}}};
    case Form::columns: return columns();
    case Form::named_columns: return map_to(columns());
    case Form::names: return map_to({{"type", "string"}});
  }
  return Json::object();
}

Json schema_of_forms(const Key& key) {
  Json out = schema_of_form(key, key.form);
  for (const Form further : key.also) out = {{"anyOf", {std::move(out), schema_of_form(key, further)}}};
  return key.words.empty() ? out : or_word(std::move(out), key.words);
}

/// A parameter whose type is said by its other keys.
Json untyped(const Key& parameter, const char* type) { return object(find(parameter.variants, type)->table); }

Json maps_in(const Json& any_of) {
  Json maps = Json::array();
  for (const Json& one : any_of) {
    if (one.contains("properties")) maps.push_back(one);
  }
  return maps;
}

/// Parameters of a list say their names themselves. @param any_of  forms of a parameter, maps only
Json named(Json any_of) {
  for (Json& one : any_of) {
    one["properties"]["name"] = {{"type", "string"}};
    require(one, with(required_of(one), "name"));
  }
  return {{"anyOf", std::move(any_of)}};
}

/// `space:` is a map of parameters, each of which may be written as a list of choices, or a list of them.
Json parameters(const Key& key) {
  Json parameter = alternatives(*key.element);
  for (const char* type : {"categorical", "constant"}) parameter["anyOf"].push_back(untyped(*key.element, type));
  Json list = {{"type", "array"}, {"items", named(maps_in(parameter["anyOf"]))}};
  parameter["anyOf"].push_back({{"type", "array"}, {"items", {{"type", {"string", "number", "boolean"}}}}});
  return {{"anyOf", {{{"type", "object"}, {"additionalProperties", std::move(parameter)}}, std::move(list)}}};
}

/// `init: FILE` or {from: FILE, …}.
Json init_definition() {
  Json map = {{"type", "object"},
              {"additionalProperties", false},
              {"properties",
               {{"extends", {{"$ref", "#/definitions/extends"}}},
                {"from", {{"type", "string"}, {"description", "a safetensors file, or a checkpoint of dlrun"}}},
                {"strict", {{"type", "boolean"}, {"description", "false: takes the tensors that fit"}}},
                {"sha256", {{"type", "string"}, {"description", "the content it must have; filled in"}}}}}};
  require(map, Json::array({"from"}));
  return {{"anyOf", {{{"type", "string"}}, std::move(map)}}};
}

/// A model with named outputs has a loss and metrics for each.
Json or_by_output(Json form, const Key& key) {
  const Variant& train = *find(trial_key(true).variants, "train");
  Json by_output = schema_of_forms(*find(train.table, key.name));
  by_output["propertyNames"] = {{"not", {{"enum", {"op", "parts"}}}}};
  return {{"anyOf", {std::move(form), std::move(by_output)}}};
}

Json schema_of(const Key& key) {
  Json out = key.name == "space"                           ? parameters(key)
             : key.name == "model"                         ? Json{{"$ref", "#/definitions/model"}}
             : key.name == "init"                          ? init_definition()
             : key.name == "data"                          ? alternatives(outside_data_key())
             : key.name == "loss" || key.name == "metrics" ? or_by_output(schema_of_forms(key), key)
                                                           : schema_of_forms(key);
  if (!key.required && !key.name.empty() && !out.empty()) out = {{"anyOf", {std::move(out), {{"type", "null"}}}}};
  if (!key.text.empty()) out["description"] = key.text;
  if (!key.fallback.is_null()) out["default"] = key.fallback;
  return out;
}

Json let_definition() {
  return {{"type", "object"},
          {"description", "numbers by name, for attributes to compute with: out: 4 * width"},
          {"additionalProperties", {{"anyOf", {{{"type", "number"}}, {{"$ref", "#/definitions/expression"}}}}}}};
}

Json outputs_definition() {
  Json one = {{"type", "object"},
              {"additionalProperties", false},
              {"properties",
               {{"extends", {{"$ref", "#/definitions/extends"}}},
                {"from", {{"type", "string"}, {"description", "the layer whose value it is"}}},
                {"target", {{"type", "string"}, {"description", "of the data; by default the output's name"}}},
                {"auxiliary", {{"type", "boolean"}, {"description", "used in training only"}}}}}};
  require(one, Json::array({"from"}));
  return {{"type", "object"},
          {"description", "several outputs by name, each with a loss and metrics of its own"},
          {"additionalProperties", {{"anyOf", {{{"type", "string"}}, std::move(one)}}}}};
}

Json model_definition() {
  Json out = {{"type", "object"},
              {"additionalProperties", false},
              {"properties",
               {{"extends", {{"$ref", "#/definitions/extends"}}},
                {"input", {{"type", "object"}, {"additionalProperties", {{"type", "array"}}}}},
                {"let", let_definition()},
                {"outputs", outputs_definition()},
                {"nodes", {{"type", "array"}, {"items", {{"$ref", "#/definitions/node"}}}}}}}};
  require(out, Json::array({"nodes"}));
  return out;
}

Json definitions() {
  return {{"extends",
           {{"description", "files this map is laid over"},
            {"anyOf", {{{"type", "string"}}, {{"type", "array"}, {"items", {{"type", "string"}}}}}}}},
          {"environment", {{"type", "string"}, {"pattern", "\\$\\{[A-Za-z_]"}}},
          {"expression",
           {{"description", "arithmetic with the names of let"},
            {"type", "string"},
            {"pattern", "^[A-Za-z0-9_ .+*/(),-]+$"}}},
          {"model", model_definition()},
          {"node", alternatives(outside_layer_key())}};
}

}  // namespace

Json schema() {
  Json out = object(study_keys());
  out["$schema"] = "http://json-schema.org/draft-07/schema#";
  out["title"] = "a study of dlrun";
  out["definitions"] = definitions();
  return out;
}

}  // namespace dlrun::spec
