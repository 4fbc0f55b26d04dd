// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "dataset/dataset.hpp"
#include "model/sequences.hpp"
#include "spec/keys.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"
#include "trial/runner.hpp"
#include "util/error.hpp"

namespace dlrun::spec {

namespace {

constexpr std::size_t kMostChoices = 64;

bool is_in_model(const Json& parameter) {
  return parameter["at"].is_string() && parameter["at"].get_ref<const std::string&>().starts_with("model.");
}

/// A value to try, and where in the parameter it was written.
struct Trial {
  std::string key;
  Json value;
};

/// A fraction between the ends of a float in `let`: it may be one too many where both ends are whole.
bool has_fractions(const Json& parameter) {
  return parameter["at"].get_ref<const std::string&>().starts_with("model.let.") && parameter["type"] == "float" &&
         !parameter.value("step", Json()).is_number() && parameter["low"].is_number() && parameter["high"].is_number();
}

std::vector<Trial> ends_of(const Json& parameter) {
  if (parameter.contains("low")) {
    std::vector<Trial> out{{"low", parameter["low"]}, {"high", parameter["high"]}};
    if (!has_fractions(parameter)) return out;
    constexpr double kShare = 0.381966;
    const double low = parameter["low"].get<double>(), high = parameter["high"].get<double>();
    out.insert(out.begin() + 1, {"type", low + kShare * (high - low)});
    return out;
  }
  if (parameter.contains("value")) return {{"value", parameter["value"]}};
  std::vector<Trial> out;
  for (std::size_t i = 0; i < parameter["choices"].size() && i < kMostChoices; ++i) {
    out.push_back({"choices." + std::to_string(i), parameter["choices"][i]});
  }
  return out;
}

/// The model with some places set; its first fault, if any.
std::optional<model::ModelError> fault_with(const Json& trial, const Json& sets, const model::Interface& interface) {
  std::vector<model::ModelError> found;
  try {
    (void)model::build(trial::configured(trial, sets)["model"], interface, &found);
  } catch (const model::ModelError& fault) {
    return fault;
  } catch (const Error& fault) {
    return model::ModelError("", fault.what(), fault.hint());
  }
  return found.empty() ? std::nullopt : std::optional(found.front());
}

/// One by one, the others at their base values. True: all fit.
bool check_each(const Json& trial, const Json& space, const model::Interface& interface, Faults& faults) {
  bool all_fit = true;
  for (const Json& parameter : space) {
    if (!is_in_model(parameter) || faults.is_bad(path_of(parameter))) continue;
    for (const Trial& end : ends_of(parameter)) {
      const auto fault = fault_with(trial, {{parameter["at"].get<std::string>(), end.value}}, interface);
      if (!fault) continue;
      all_fit = false;
      const std::string path = join(path_of(parameter), end.key);
      faults.at(faults.was_written(path) ? path : path_of(parameter),
                fmt::format("with {} = {} the model does not fit: {}", parameter["name"].get<std::string>(),
                            to_text(end.value), fault->what()),
                fault->hint());
    }
  }
  return all_fit;
}

/// All at their low ends, then all at their high ones: what fits alone may not fit together.
void check_together(const Json& trial, const Json& space, const model::Interface& interface, Faults& faults) {
  for (const bool is_high : {false, true}) {
    Json sets = Json::object();
    std::string said;
    std::string last;
    for (const Json& parameter : space) {
      if (!is_in_model(parameter) || parameter["when"].is_object()) continue;
      const std::vector<Trial> ends = ends_of(parameter);
      const Json value = is_high ? ends.back().value : ends.front().value;
      sets[parameter["at"].get<std::string>()] = value;
      said += fmt::format("{}{} = {}", said.empty() ? "" : ", ", parameter["name"].get<std::string>(), to_text(value));
      last = path_of(parameter);
    }
    if (sets.size() < 2) return;
    const auto fault = fault_with(trial, sets, interface);
    if (fault)
      return faults.at_key(last, fmt::format("with {} the model does not fit: {}", said, fault->what()), fault->hint());
  }
}

/// Trials of the parameter's other values can be trained.
void warn_of_single_rows(const Json& space, const std::string& layer, Faults& faults) {
  for (const Json& parameter : space) {
    if (parameter.value("at", Json()) != "batch_size") continue;
    faults.warn(path_of(parameter),
                fmt::format("trials with batches of one example fail: layer '{}' has one value of each channel there, "
                            "which has no variance",
                            layer),
                "take greater ones, or layernorm in place of batchnorm");
  }
}

/// A variance is of two values at least.
void check_single_rows(const Json& trial, const Json& space, const model::Graph& graph, Faults& faults) {
  const std::vector<Json> sizes = values_in_study(trial, space, "batch_size");
  if (std::find(sizes.begin(), sizes.end(), Json(1)) == sizes.end() || faults.is_bad("trial.batch_size")) return;
  for (const model::Node& node : graph.nodes) {
    const bool has_positions =
        std::any_of(node.in[0].begin() + 1, node.in[0].end(), [](auto size) { return size > 1; });
    if (node.op != "batchnorm" || has_positions) continue;
    if (std::count(sizes.begin(), sizes.end(), Json(1)) < std::int64_t(sizes.size()))
      return warn_of_single_rows(space, node.name, faults);
    faults.at("trial.batch_size",
              fmt::format("in a batch of one example layer '{}' has one value of each channel, which has no variance",
                          node.name),
              "take a greater one, or layernorm in place of batchnorm");
  }
}

bool is_named(const Json& names, const std::string& name) {
  return names == name || (names.is_array() && std::find(names.begin(), names.end(), name) != names.end());
}

/// A mask, edges or an adjacency matrix by its values: standardised, its zeros would be other numbers.
void check_selections(const Json& trial, const model::Graph& graph, Faults& faults) {
  const Json standardised = trial.at("data").value("standardise", Json());
  for (const model::Node& node : graph.nodes) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const auto input = graph.interface.inputs.find(node.inputs[i]);
      if (input == graph.interface.inputs.end() || input->second.vocabulary > 0) continue;
      const std::string& name = input->first;
      if (!model::is_selection(node, i) || (standardised != true && !is_named(standardised, name))) continue;
      return faults.at(
          "trial.data.standardise",
          fmt::format("layer '{}' reads from the zeros of '{}' which parts of '{}' count, and standardised "
                      "they are no zeros",
                      node.name, name, node.inputs[0]),
          fmt::format("name the inputs to be standardised, without '{}'", name));
    }
  }
}

}  // namespace

void check_model(const Json& trial, const Json& space, const dataset::Schema& schema, Faults& faults) {
  if (faults.is_bad("trial.model")) return;
  const model::Interface interface = interface_of(schema, trial);
  std::vector<model::ModelError> found;
  try {
    const model::Graph graph = model::build(trial["model"], interface, &found);
    if (found.empty()) {
      check_single_rows(trial, space, graph, faults);
      check_selections(trial, graph, faults);
    }
  } catch (const model::ModelError& fault) {
    found.push_back(fault);
  }
  for (const model::ModelError& fault : found) {
    const std::string path = join("trial.model", fault.path());
    fault.part() == Part::key ? faults.at_key(path, fault.what(), fault.hint())
                              : faults.at(path, fault.what(), fault.hint());
  }
  if (found.empty() && check_each(trial, space, interface, faults)) check_together(trial, space, interface, faults);
}

void check_shapes_stay(const Json& trial, const Json& space, const dataset::Schema& schema, Faults& faults) {
  if (faults.list.has_errors()) return;
  const model::Interface interface = interface_of(schema, trial);
  const auto shapes = [&](const Json& sets) {
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> out;
    const model::Graph graph = model::build(trial::configured(trial, sets)["model"], interface);
    for (const model::Node& node : graph.nodes) {
      for (const model::Tensor& tensor : node.tensors) out.emplace_back(node.name + "." + tensor.name, tensor.shape);
    }
    return out;
  };
  const auto base = shapes(Json::object());
  for (const Json& parameter : space) {
    if (!is_in_model(parameter)) continue;
    for (const Trial& end : ends_of(parameter)) {
      if (shapes({{parameter["at"].get<std::string>(), end.value}}) == base) continue;
      faults.at_key(
          path_of(parameter),
          fmt::format("a population cannot search '{}': it changes the shapes of weights, which an heir takes over",
                      parameter["name"].get<std::string>()),
          "fix it, or take another pruner");
      break;
    }
  }
}

}  // namespace dlrun::spec
