// SPDX-License-Identifier: Apache-2.0
// Loss and metrics by the data: filled in where they are not written, else compared with it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "recipe/loss.hpp"
#include "recipe/metric_kinds.hpp"
#include "recipe/outputs.hpp"
#include "spec/keys.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

const Key& loss_key_of_trial() {
  const Variant& train = *find(trial_key().variants, "train");
  return *find(train.table, "loss");
}

Json default_loss(bool has_classes) {
  const std::string op = has_classes ? "cross_entropy" : "mse";
  Json loss = {{"op", op}};
  for (const Key& key : find(loss_key_of_trial().variants, op)->table) loss[key.name] = key.fallback;
  return loss;
}

std::string names_that_fit(bool has_classes) {
  std::vector<std::string> names;
  for (const recipe::LossKind& kind : recipe::loss_kinds()) {
    if (recipe::fits(kind, has_classes)) names.push_back(kind.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_weights(const Json& weights, const std::string& path, const dataset::Schema& schema, Faults& faults) {
  if (weights.is_null() || weights == "balanced") return;
  const bool is_list = weights.is_array() && !weights.empty();
  if (!is_list) return faults.at(path, "class_weights must be balanced, or a list of numbers", "e.g. [1, 2.5]");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i].is_number() && weights[i].get<double>() >= 0) continue;
    faults.at(join(path, std::to_string(i)), "a weight must be a number of at least 0");
  }
  if (faults.is_bad(path)) return;
  if (std::all_of(weights.begin(), weights.end(), [](const Json& weight) { return weight == 0; }))
    return faults.at(path, "all weights are 0: nothing would be trained", "give some class a weight above 0");
  if (std::int64_t(weights.size()) == schema.classes) return;
  faults.at(path, fmt::format("there are {} weights, but the data has {} classes", weights.size(), schema.classes));
}

void check_loss(const Json& loss, const std::string& path, const dataset::Schema& schema, Faults& faults) {
  const bool has_classes = schema.classes > 0;
  const recipe::LossKind* kind = loss.is_object() ? recipe::find_loss(loss.value("op", std::string())) : nullptr;
  if (kind == nullptr) return;
  if (!recipe::fits(*kind, has_classes)) {
    faults.at(path,
              fmt::format("{} is a loss for {}, but the data has {}", kind->name, has_classes ? "numbers" : "classes",
                          has_classes ? fmt::format("{} classes", schema.classes) : "numbers as target"),
              "losses that fit: " + names_that_fit(has_classes));
    return;
  }
  if (loss.contains("class_weights")) check_weights(loss["class_weights"], join(path, "class_weights"), schema, faults);
}

void check_parts(const Json& parts, const std::string& path, const dataset::Schema& schema, Faults& faults) {
  if (!parts.is_array()) return;
  if (parts.empty()) return faults.at(path, "a sum needs at least one loss");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string place = join(path, std::to_string(i));
    if (!faults.is_bad(place)) check_loss(parts[i], place, schema, faults);
    if (faults.is_bad(place)) continue;
    const auto widths = [&](const Json& part) {
      return recipe::output_widths(Json{{"loss", part}}, schema.classes, schema.targets).front();
    };
    if (i == 0 || faults.is_bad(join(path, "0")) || widths(parts[i]) == widths(parts[0])) continue;
    faults.at(place,
              fmt::format("this loss needs {} outputs, but the first needs {}", widths(parts[i]), widths(parts[0])));
  }
}

void check_metrics(Json& metrics, const std::string& place, const dataset::Schema& schema, Faults& faults) {
  if (metrics.is_null()) metrics = Json::array({schema.classes > 0 ? "accuracy" : "mae"});
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const recipe::MetricKind* kind =
        metrics[i].is_string() ? recipe::find_metric(metrics[i].get<std::string>()) : nullptr;
    if (kind == nullptr) continue;
    const std::string path = join(place, std::to_string(i));
    const std::string reason = recipe::refusal(*kind, schema.classes, !schema.target_shape.empty());
    if (!reason.empty()) faults.at(path, kind->name + " " + reason);
    for (std::size_t k = 0; k < i; ++k) {
      if (metrics[k] == metrics[i]) faults.at(path, kind->name + " is named twice");
    }
  }
}

void fill_loss(Json& loss, const std::string& path, const dataset::Schema& schema, Faults& faults) {
  if (loss.is_null() && !faults.is_bad(path)) loss = default_loss(schema.classes > 0);
  if (!faults.is_bad(path)) check_loss(loss, path, schema, faults);
  if (loss.is_object() && loss.value("op", std::string()) == "sum")
    check_parts(loss["parts"], join(path, "parts"), schema, faults);
}

/// Entries for outputs that are not there; and where losses are written, outputs without one.
void check_entries(const Json& section, const std::string& key, const std::vector<recipe::OutputSection>& outputs,
                   Faults& faults) {
  const std::string path = join("trial", key);
  if (!section.is_object() || faults.is_bad(path)) return;
  std::vector<std::string> names;
  for (const recipe::OutputSection& output : outputs) names.push_back(output.name);
  for (const auto& [name, value] : section.items()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    faults.at_key(join(path, name), fmt::format("the model has no output '{}'", name),
                  suggest(name, names, "its outputs are"));
  }
  for (const std::string& name : names) {
    if (key != "loss" || section.contains(name)) continue;
    faults.at_key(path, fmt::format("the output '{}' has no loss", name), "give it one: " + name + ": mse");
  }
}

void fill_output(Json& trial, const recipe::OutputSection& output, const dataset::Schema& schema, Faults& faults) {
  Json& loss = trial["loss"][output.name];
  const bool has_own = !loss.is_null();
  fill_loss(loss, output.place("loss"), schema, faults);
  if (!has_own && loss.is_object()) loss["weight"] = 1.0;
  const std::string metrics = output.place("metrics");
  if (!output.is_auxiliary) return check_metrics(trial["metrics"][output.name], metrics, schema, faults);
  if (faults.was_written(metrics))
    faults.at_key(metrics, fmt::format("the output '{}' is auxiliary and never measured", output.name), "remove it");
}

/// Weights of the mean by class; null where all are 1. Focal is a mean over the examples.
Json weights_of_mean(const Json& part) {
  const Json weights = part.value("class_weights", Json());
  const bool are_ones =
      weights.is_array() && std::all_of(weights.begin(), weights.end(), [](const Json& weight) { return weight == 1; });
  return are_ones || part.value("op", Json()) == "focal" ? Json() : weights;
}

}  // namespace

void check_weights_of_parts(const Json& trial, const Json& space, Faults& faults) {
  const Json loss = trial.value("loss", Json());
  if (recipe::has_outputs(trial) || !loss.is_object() || loss.value("op", Json()) != "sum") return;
  const Json parts = loss.value("parts", Json::array());
  if (faults.is_bad("trial.loss")) return;
  const auto weighs_otherwise = [&](const Json& part) { return weights_of_mean(part) != weights_of_mean(parts[0]); };
  if (std::none_of(parts.begin(), parts.end(), weighs_otherwise)) return;
  const bool has_ranks = trial.value("parallel", Json()).is_object();
  if (!has_ranks && trial.value("accumulate", Json(1)) == 1 && !is_set(space, "accumulate")) return;
  faults.at("trial.loss.parts",
            fmt::format("class_weights of some parts alone: {} of a step cannot be weighed by one number",
                        has_ranks ? "the ranks" : "the batches"),
            has_ranks ? "give all parts the same class_weights, or none"
                      : "give all parts the same class_weights, or none, or accumulate: 1");
}

void fill_by_data(Json& trial, const dataset::Schema& schema, Faults& faults) {
  if (!recipe::has_outputs(trial)) {
    fill_loss(trial["loss"], "trial.loss", schema, faults);
    return check_metrics(trial["metrics"], "trial.metrics", schema, faults);
  }
  const std::vector<recipe::OutputSection> outputs = recipe::outputs_of(trial);
  for (const char* key : {"loss", "metrics"}) {
    check_entries(trial[key], key, outputs, faults);
    if (!trial[key].is_object()) trial[key] = Json::object();
  }
  for (const recipe::OutputSection& output : outputs) {
    const bool is_known = schema.several.empty() || dataset::find_target(schema, output.target) != nullptr;
    if (is_known) fill_output(trial, output, dataset::seen_by(schema, output.target), faults);
  }
}

}  // namespace dlrun::spec
