// SPDX-License-Identifier: Apache-2.0
#include "dataset/targets.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "util/hints.hpp"

namespace dlrun::dataset {

std::size_t leading(const std::vector<Target>& targets) {
  const auto found = std::find_if(targets.begin(), targets.end(), [](const Target& t) { return t.classes > 0; });
  return found == targets.end() ? 0 : std::size_t(found - targets.begin());
}

void set_targets(Dataset& dataset, std::vector<TargetValues> targets) {
  Schema& schema = dataset.schema;
  const bool are_named = !targets.front().target.name.empty();
  for (TargetValues& one : targets) {
    schema.several.push_back(std::move(one.target));
    dataset.several.push_back(std::move(one.values));
  }
  const std::size_t first = leading(schema.several);
  dataset.targets = dataset.several[first];
  const std::string sees = schema.several[first].name;
  schema = seen_by(schema, sees);
  if (are_named) return;
  schema.several.clear();
  dataset.several.clear();
}

Schema seen_by(Schema schema, const std::string& target) {
  for (const Target& one : schema.several) {
    if (one.name != target) continue;
    schema.classes = one.classes;
    schema.targets = one.width;
    schema.target_shape = one.shape;
    schema.class_names = one.class_names;
    schema.unit = one.unit;
    break;
  }
  return schema;
}

const Target* find_target(const Schema& schema, const std::string& name) {
  for (const Target& target : schema.several) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

void check_target_names(const Json& map, const std::string& key) {
  constexpr std::string_view kCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  for (const auto& [name, where] : map.items()) {
    if (!name.empty() && name.find_first_not_of(kCharacters) == std::string::npos) continue;
    throw DataError(key, fmt::format("a target cannot be named {}", quoted(Json(name))), "letters, digits, _ and -");
  }
  if (map.empty()) throw DataError(key, fmt::format("'{}' is an empty map", key), "name what is to be predicted");
}

std::string task_of(const Json& data, const std::string& target) {
  const Json& task = data["task"];
  if (task.is_string()) return task;
  std::string one = task.value(target, std::string("auto"));
  if (one == "auto" || one == "classification" || one == "regression") return one;
  throw DataError("task." + target, fmt::format("there is no task '{}'", one), "auto, classification or regression");
}

void check_tasks(const Json& data, const std::vector<std::string>& targets) {
  if (!data["task"].is_object()) return;
  for (const auto& [name, task] : data["task"].items()) {
    if (std::find(targets.begin(), targets.end(), name) == targets.end())
      throw DataError("task." + name, fmt::format("there is no target '{}'", name),
                      targets.front().empty() ? "one target needs no name: task: " + task.get<std::string>()
                                              : hint_for_name(name, targets));
  }
}

}  // namespace dlrun::dataset
