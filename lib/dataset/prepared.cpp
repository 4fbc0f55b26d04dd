// SPDX-License-Identifier: Apache-2.0
#include "dataset/prepared.hpp"

#include "dataset/formats.hpp"

namespace dlrun::dataset {

namespace {

Json to_json(const Input& input, const Array& array) {
  Json json{{"name", input.name}, {"shape", input.shape}};
  if (input.is_index()) json["vocabulary"] = input.vocabulary;
  if (!array.scale.empty()) json.update({{"scale", array.scale}, {"shift", array.shift}});
  return json;
}

Json target_json(const Schema& seen, const std::string& name) {
  Json json = name.empty() ? Json::object() : Json{{"name", name}};
  if (seen.classes == 0) {
    json["values"] = seen.targets;
  } else if (seen.class_names.empty()) {
    json["classes"] = seen.classes;
  } else {
    json["classes"] = seen.class_names;
  }
  return json;
}

}  // namespace

Json prepared(const Json& data, std::uint64_t seed) {
  const Json full = normalised(data);
  const Format& format = format_of(full);
  const Sources sources = format.find(full, {});
  const Dataset dataset = format.load(full, sources, seed);
  Json json = format.measured == nullptr ? Json::object() : format.measured(full, sources, seed);
  for (std::size_t k = 0; k < dataset.inputs.size(); ++k)
    json["inputs"].push_back(to_json(dataset.schema.inputs[k], dataset.inputs[k]));
  if (dataset.schema.several.empty()) json["targets"].push_back(target_json(dataset.schema, ""));
  for (const Target& target : dataset.schema.several)
    json["targets"].push_back(target_json(seen_by(dataset.schema, target.name), target.name));
  return json;
}

}  // namespace dlrun::dataset
