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
  config.outputs = recipe::read_outputs(trial, data);
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
