// SPDX-License-Identifier: Apache-2.0
// Named outputs against the data's targets: each learns one, none is left out, no two names mean the same.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "recipe/metric_kinds.hpp"
#include "recipe/outputs.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

const std::string kOutputs = "trial.model.outputs";

std::vector<std::string> target_names(const dataset::Schema& schema) {
  std::vector<std::string> names;
  for (const dataset::Target& target : schema.several) names.push_back(target.name);
  return names;
}

std::string target_path(const Faults& faults, const std::string& target) {
  for (const char* key : {"trial.data.target", "trial.data.targets"}) {
    if (faults.was_written(join(key, target))) return join(key, target);
  }
  return "trial.data";
}

/// val.NAME.loss must not look like the metric of another name.
void check_name(const std::string& name, Faults& faults) {
  const bool is_taken = name == "loss" || name == "skipped_steps" || recipe::find_metric(name) != nullptr;
  if (is_taken)
    faults.at_key(join(kOutputs, name), fmt::format("an output cannot be named '{}', as a metric is", name));
  const bool is_key = name == "op" || name == "parts";
  if (is_key) faults.at_key(join(kOutputs, name), fmt::format("an output cannot be named '{}', a key of losses", name));
}

void check_target(const recipe::OutputSection& output, const Json& written, const dataset::Schema& schema,
                  Faults& faults) {
  const std::string path = join(kOutputs, output.name);
  const bool is_said = written.is_object() && written.contains("target");
  if (schema.several.empty()) {
    if (is_said) faults.at(join(path, "target"), "the data's one target has no name", "remove it");
    return;
  }
  if (dataset::find_target(schema, output.target) != nullptr) return;
  const std::string message = fmt::format("the data has no target '{}'", output.target);
  const std::string help = suggest(output.target, target_names(schema), "its targets are");
  is_said ? faults.at(join(path, "target"), message, help) : faults.at_key(path, message, help);
}

/// Without names there is one output, and it learns one target.
void require_outputs(const dataset::Schema& schema, Faults& faults) {
  if (schema.several.size() < 2) return;
  std::string listed, example;
  for (const dataset::Target& target : schema.several) {
    listed += (listed.empty() ? "'" : "' and '") + target.name;
    example += (example.empty() ? "" : ", ") + target.name + ": LAYER";
  }
  faults.at_key("trial.model", fmt::format("the data has the targets {}', but the model names no outputs", listed),
                "write outputs: {" + example + "} beside nodes");
}

}  // namespace

void check_outputs(const Json& trial, const dataset::Schema& schema, Faults& faults) {
  if (faults.is_bad("trial.model")) return;
  if (!recipe::has_outputs(trial)) return require_outputs(schema, faults);
  std::set<std::string> learned;
  for (const recipe::OutputSection& output : recipe::outputs_of(trial)) {
    check_name(output.name, faults);
    check_target(output, trial["model"]["outputs"][output.name], schema, faults);
    learned.insert(output.target);
  }
  for (const dataset::Target& target : schema.several) {
    if (learned.contains(target.name)) continue;
    faults.at_key(target_path(faults, target.name), fmt::format("no output learns the target '{}'", target.name),
                  fmt::format("name an output '{0}', or give one target: {0}", target.name));
  }
}

}  // namespace dlrun::spec
