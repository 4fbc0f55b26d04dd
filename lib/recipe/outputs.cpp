// SPDX-License-Identifier: Apache-2.0
#include "recipe/outputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "recipe/metric_kinds.hpp"
#include "util/error.hpp"

namespace dlrun::recipe {

namespace {

Json get(const Json& map, const std::string& key) { return map.is_object() ? map.value(key, Json()) : Json(); }

Json outputs(const Json& trial) { return get(get(trial, "model"), "outputs"); }

std::string target_of(const Json& output, const std::string& name) {
  const Json target = get(output, "target");
  return target.is_string() ? target.get<std::string>() : name;
}

/// An error where the data has no such target, or the model leaves open which one it learns.
void check_target(const OutputSection& output, const dataset::Schema& data) {
  const bool is_free = output.name.empty() ? data.several.size() <= 1 : data.several.empty();
  if (is_free || dataset::find_target(data, output.target)) return;
  std::vector<std::string> known;
  for (const dataset::Target& target : data.several) known.push_back(target.name);
  throw Error(ErrorKind::usage,
              output.name.empty()
                  ? "model: the data has several targets, but the model names no outputs"
                  : fmt::format("model.outputs.{}: there is no target '{}'", output.name, output.target),
              fmt::format("the targets are {}", fmt::join(known, ", ")));
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

std::vector<OutputConfig> read_outputs(const Json& trial, const dataset::Schema& data) {
  std::vector<OutputConfig> outputs;
  for (const OutputSection& section : outputs_of(trial)) {
    check_target(section, data);
    const dataset::Schema seen = dataset::seen_by(data, section.target);
    const Json own = {{"loss", section.loss}};
    OutputConfig output{section.name,
                        section.target,
                        section.is_auxiliary,
                        read_loss(own, seen.classes > 0, !section.name.empty()),
                        {}};
    if (!section.is_auxiliary) {
      output.metrics = read_metrics(section.metrics, seen.classes, !seen.target_shape.empty());
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

model::Interface interface_of(const dataset::Schema& schema, const Json& trial) {
  model::Interface interface { {}, schema.classes, schema.targets, schema.target_shape };
  for (const dataset::Input& input : schema.inputs) interface.inputs[input.name] = {input.shape, input.vocabulary};
  interface.output_widths = output_widths(trial, schema.classes, schema.targets);
  for (const OutputSection& output : outputs_of(trial)) {
    if (output.name.empty()) break;
    const dataset::Schema seen = dataset::seen_by(schema, output.target);
    interface.outputs[output.name] = {seen.classes, seen.targets, seen.target_shape,
                                      output_widths(Json{{"loss", output.loss}}, seen.classes, seen.targets)};
  }
  return interface;
}

}  // namespace dlrun::recipe
