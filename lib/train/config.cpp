// SPDX-License-Identifier: Apache-2.0
#include "train/config.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataset/batch_section.hpp"
#include "recipe/metric_kinds.hpp"
#include "recipe/outputs.hpp"
#include "train/config_parts.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::train {

namespace {

void check_metric(const std::string& name, const dataset::Schema& data) {
  const recipe::MetricKind* kind = recipe::find_metric(name);
  if (!kind) {
    throw Error(ErrorKind::usage, fmt::format("metrics: there is no '{}'", name),
                fmt::format("known are {}", fmt::join(recipe::metric_names(), ", ")));
  }
  const std::string reason = recipe::refusal(*kind, data.classes, !data.target_shape.empty());
  if (!reason.empty()) throw Error(ErrorKind::usage, fmt::format("metrics: '{}' {}", name, reason));
}

std::vector<std::string> read_metrics(const Json& trial, const dataset::Schema& data) {
  const auto found = trial.find("metrics");
  if (found == trial.end() || found->is_null()) return {data.classes > 0 ? "accuracy" : "mae"};
  std::vector<std::string> names;
  for (const Json& item : found->is_array() ? *found : Json::array({*found})) {
    const std::string name = item.is_string() ? item.get<std::string>() : to_text(item);
    check_metric(name, data);
    names.push_back(name);
  }
  return names;
}

/// An error where the data has no such target, or the model leaves open which one it learns.
void check_target(const recipe::OutputSection& output, const dataset::Schema& data) {
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

std::vector<OutputConfig> read_outputs(const Json& trial, const dataset::Schema& data) {
  std::vector<OutputConfig> outputs;
  for (const recipe::OutputSection& section : recipe::outputs_of(trial)) {
    check_target(section, data);
    const dataset::Schema seen = dataset::seen_by(data, section.target);
    const Json own = {{"loss", section.loss}, {"metrics", section.metrics}};
    OutputConfig output{section.name,
                        section.target,
                        section.is_auxiliary,
                        recipe::read_loss(own, seen.classes > 0, !section.name.empty()),
                        {}};
    if (!section.is_auxiliary) output.metrics = read_metrics(own, seen);
    outputs.push_back(std::move(output));
  }
  return outputs;
}

std::int64_t read_count(const Json& trial, const char* key, std::int64_t fallback) {
  const Json value = trial.value(key, Json(fallback));
  if (!value.is_number_integer() || value.get<std::int64_t>() < 1) {
    throw Error(ErrorKind::usage, fmt::format("{} is {}, but must be an integer of at least 1", key, to_text(value)));
  }
  return value.get<std::int64_t>();
}

nn::Precision read_precision(const Json& trial) {
  const Json value = trial.value("precision", Json());
  if (value.is_null()) return nn::Precision::fp32;
  const auto found = nn::find_precision(value.is_string() ? value.get<std::string>() : "");
  if (found) return *found;
  throw Error(ErrorKind::usage, fmt::format("precision: there is no {}", to_text(value)),
              fmt::format("known are {}", fmt::join(nn::kPrecisionNames, ", ")));
}

std::int64_t read_log(const Json& trial) {
  const Json log = trial.value("log", Json());
  const bool is_wanted = log.is_object() && log.contains("every") && !log["every"].is_null();
  return is_wanted ? Section(trial, "log").integer("every", 1, 1, std::int64_t(1) << 40) : 0;
}

std::optional<double> read_clip(const Json& trial, const char* key) {
  const Json value = trial.value(key, Json());
  if (value.is_null()) return std::nullopt;
  if (!value.is_number() || !(value.get<double>() > 0)) {
    throw Error(ErrorKind::usage, fmt::format("{} is {}, but must be a number above 0", key, to_text(value)));
  }
  return value.get<double>();
}

std::optional<StopConfig> read_stop(const Json& trial, const dataset::Schema& data) {
  const Section section(trial, "stop");
  if (!section.has("patience")) return std::nullopt;
  StopConfig stop;
  stop.patience = section.integer("patience", 0, 0, 1'000'000);
  stop.min_delta = section.number("min_delta", 0, 0, kHuge);
  stop.metric = section.text("metric", data.val > 0 ? "val.loss" : "train.loss");
  stop.maximize = recipe::is_maximized(stop.metric);
  return stop;
}

}  // namespace

Config read_config(const Json& trial, const dataset::Schema& data) {
  Config config;
  config.epochs = read_count(trial, "epochs", 10);
  if (!trial.value("horizon", Json()).is_null()) config.horizon = read_count(trial, "horizon", 0);
  config.batch_size = read_count(trial, "batch_size", 32);
  config.optimizer = recipe::read_optimizer(trial);
  config.schedule = read_schedule(trial, data.val > 0);
  config.outputs = read_outputs(trial, data);
  config.accumulate = read_count(trial, "accumulate", 1);
  config.precision = read_precision(trial);
  config.ema = Section(trial, "ema").optional_number("decay", 0, 1);
  config.swa = recipe::read_swa(trial, config.epochs);
  if (config.ema && config.swa) throw Error(ErrorKind::usage, "swa: there is an ema already", "remove one of the two");
  config.stop = read_stop(trial, data);
  config.clip_norm = read_clip(trial, "clip_norm");
  config.clip_value = read_clip(trial, "clip_value");
  config.log_every = read_log(trial);
  config.data = trial.value("data", Json());
  if (config.data.is_object() && config.data.contains("op")) config.data = dataset::normalised(config.data);
  config.model = trial.value("model", Json());
  config.init = trial.value("init", Json());
  config.warm_start = warmstart::warm_start_of(trial.value("warm_start", Json()));
  if (config.warm_start) config.warm_section = warmstart::without_places(trial.at("warm_start"));
  if (config.warm_start) config.optimizer.lr *= config.warm_start->lr_scale;
  return config;
}

namespace {

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

std::string fingerprint(const Config& config, const std::string& model_hash, const std::string& data_hash) {
  Json json = {
      {"model", model_hash},
      {"data", data_hash},
      {"batches", dataset::batch_settings(config.data)},
      {"epochs", config.span()},
      {"batch_size", config.batch_size},
      {"accumulate", config.accumulate},
      {"ema", optional(config.ema)},
      {"stop", config.stop ? Json{config.stop->patience, config.stop->min_delta, config.stop->metric} : Json()},
      {"clip", {optional(config.clip_norm), optional(config.clip_value)}},
      {"optimizer", to_json(config.optimizer)},
      {"schedule", to_json(config.schedule)},
  };
  const OutputConfig& first = config.outputs.front();
  if (first.name.empty()) json["loss"] = to_json(first.loss);
  for (const OutputConfig& output : config.outputs) {
    if (!output.name.empty()) json["outputs"].push_back({output.name, output.target, to_json(output.loss)});
  }
  if (const auto& swa = config.swa) {
    json["swa"] = {swa->when.start, swa->when.every, optional(swa->lr), swa->anneal_epochs, swa->anneal_strategy};
  }
  if (config.precision != nn::Precision::fp32) {
    json["precision"] = nn::name_of(config.precision);
  }
  if (config.warm_start) json["warm_start"] = config.warm_section;
  if (config.init.is_object()) json["init"] = {config.init.at("sha256"), config.init.at("strict")};
  return Sha256::hex_of(to_text(json));
}

}  // namespace dlrun::train
