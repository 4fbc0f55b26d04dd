// SPDX-License-Identifier: Apache-2.0
#include "recipe/outputs.hpp"

namespace dlrun::recipe {

namespace {

Json get(const Json& map, const std::string& key) { return map.is_object() ? map.value(key, Json()) : Json(); }

Json outputs(const Json& trial) { return get(get(trial, "model"), "outputs"); }

std::string target_of(const Json& output, const std::string& name) {
  const Json target = get(output, "target");
  return target.is_string() ? target.get<std::string>() : name;
}

}  // namespace

bool has_outputs(const Json& trial) { return outputs(trial).is_object() && !outputs(trial).empty(); }

std::vector<OutputSection> outputs_of(const Json& trial) {
  const Json loss = get(trial, "loss"), metrics = get(trial, "metrics");
  if (!has_outputs(trial)) return {{"", "", false, loss, metrics}};
  const Json outputs = recipe::outputs(trial);
  std::vector<OutputSection> sections;
  for (const auto& [name, output] : outputs.items()) {
    sections.push_back(
        {name, target_of(output, name), get(output, "auxiliary") == true, get(loss, name), get(metrics, name)});
  }
  return sections;
}

}  // namespace dlrun::recipe
