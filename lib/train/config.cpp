// SPDX-License-Identifier: Apache-2.0
#include "train/config.hpp"

#include "dataset/batch_section.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::train {

Config read_config(const Json& trial, const dataset::Schema& data) {
  Config config{recipe::read_training(trial, data.val > 0)};
  config.optimizer = recipe::read_optimizer(trial);
  config.schedule = recipe::read_schedule(trial, data.val > 0);
  config.outputs = recipe::read_outputs(trial, data);
  config.swa = recipe::read_swa(trial, config.epochs);
  if (config.ema && config.swa) throw Error(ErrorKind::usage, "swa: there is an ema already", "remove one of the two");
  config.parallel = recipe::read_parallel(trial);
  config.placement = recipe::read_placement(trial);
  config.lr_scaling = recipe::read_lr_scaling(trial, config.batch_size, config.micro_batches());
  if (config.parallel && !trial.value("lr_scaling", Json()).is_null()) config.parallel->gang.lr_scale = "none";
  config.data = trial.value("data", Json());
  if (config.data.is_object() && config.data.contains("op")) config.data = dataset::normalised(config.data);
  if (config.parallel) config.partition = dataset::read_partition(config.data);
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
  if (config.parallel) json["parallel"] = to_json(*config.parallel);
  if (config.lr_scaling) json["lr_scaling"] = to_json(*config.lr_scaling);
  if (config.products() != nn::Precision::fp32) json["precision"] = config.precision;
  if (config.warm_start) json["warm_start"] = config.warm_section;
  if (config.init.is_object()) json["init"] = {config.init.at("sha256"), config.init.at("strict")};
  if (!config.plugins.is_null()) json["plugins"] = config.plugins;
  return Sha256::hex_of(to_text(json));
}

}  // namespace dlrun::train
