// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema_json.hpp"

namespace dlrun::dataset {

namespace {

Json to_json(const Input& input) {
  return {{"name", input.name}, {"shape", input.shape}, {"vocabulary", input.vocabulary}};
}

Input input_from(const Json& json) {
  return {json.at("name").get<std::string>(), json.at("shape").get<std::vector<std::int64_t>>(),
          json.at("vocabulary").get<std::int64_t>()};
}

/// A unit that is the file's is not written, as before there were others.
void add_unit(Json& json, const ValueScale& unit) {
  if (!unit.empty()) json["unit"] = {{"scale", unit.scale}, {"shift", unit.shift}};
}

ValueScale unit_from(const Json& json) {
  const Json unit = json.value("unit", Json());
  if (unit.is_null()) return {};
  return {unit.at("scale").get<std::vector<double>>(), unit.at("shift").get<std::vector<double>>()};
}

Json to_json(const Target& t) {
  Json json{{"name", t.name},
            {"classes", t.classes},
            {"targets", t.width},
            {"target_shape", t.shape},
            {"class_names", t.class_names}};
  add_unit(json, t.unit);
  return json;
}

Target target_from(const Json& json) {
  return {json.at("name").get<std::string>(),
          json.at("classes").get<std::int64_t>(),
          json.at("targets").get<std::int64_t>(),
          json.at("target_shape").get<std::vector<std::int64_t>>(),
          json.at("class_names").get<std::vector<std::string>>(),
          unit_from(json)};
}

}  // namespace

Json to_json(const Schema& s) {
  Json inputs = Json::array();
  for (const Input& input : s.inputs) inputs.push_back(to_json(input));
  Json json = {{"inputs", inputs},
               {"classes", s.classes},
               {"targets", s.targets},
               {"target_shape", s.target_shape},
               {"class_names", s.class_names},
               {"features", s.features},
               {"columns", s.columns},
               {"train", s.train},
               {"val", s.val},
               {"test", s.test},
               {"sha256", s.sha256}};
  add_unit(json, s.unit);
  for (const Target& target : s.several) json["several"].push_back(to_json(target));
  return json;
}

Schema schema_from_json(const Json& json) {
  Schema s;
  for (const Json& input : json.at("inputs")) s.inputs.push_back(input_from(input));
  json.at("classes").get_to(s.classes);
  json.at("targets").get_to(s.targets);
  json.at("target_shape").get_to(s.target_shape);
  json.at("class_names").get_to(s.class_names);
  json.at("features").get_to(s.features);
  json.at("columns").get_to(s.columns);
  json.at("train").get_to(s.train);
  json.at("val").get_to(s.val);
  json.at("test").get_to(s.test);
  json.at("sha256").get_to(s.sha256);
  s.unit = unit_from(json);
  for (const Json& target : json.value("several", Json::array())) s.several.push_back(target_from(target));
  return s;
}

}  // namespace dlrun::dataset
