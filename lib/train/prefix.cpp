// SPDX-License-Identifier: Apache-2.0
#include "train/prefix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "recipe/rates.hpp"
#include "util/sha256.hpp"

namespace dlrun::train {

namespace {

/// Settings that decide the bits of every epoch, whatever follows: the rates are compared one by one instead.
Config unscheduled(Config config) {
  config.schedule = {};
  config.swa.reset();
  const bool is_warmed = config.lr_scaling && config.lr_scaling->warmup != "none";
  const bool has_intervals = config.partition && config.partition->importance;
  config.horizon = is_warmed || has_intervals ? config.span() : 0;
  config.epochs = 0;
  return config;
}

/// The rates of the epochs that are done, and whether each was averaged.
std::string rates_so_far(const Config& config, const Progress& progress) {
  std::string text;
  recipe::Schedule replayed = progress.schedule();
  replayed.reset();
  for (const trial::Report& report : progress.state().reports) {
    text += recipe::rates_of(replayed, report.step, progress.steps_per_epoch());
    text += recipe::is_averaged(config.swa, report.step) ? 'a' : '-';
    replayed.observe(report);
  }
  return text;
}

}  // namespace

std::string prefix(const Config& config, const std::string& model_hash, const std::string& data_hash,
                   const Progress& progress) {
  const Objective& objective = progress.objective();
  std::string text = fingerprint(unscheduled(config), model_hash, data_hash);
  for (const OutputConfig& output : config.outputs) text += fmt::format("|{}", fmt::join(output.metrics, ","));
  text += fmt::format("|{}{}{}", objective.metric, objective.maximize, objective.keeps_best);
  return Sha256::hex_of(text + rates_so_far(config, progress));
}

std::string cold_fingerprint(Config config, const std::string& model_hash, const std::string& data_hash) {
  config.warm_start.reset();
  return fingerprint(config, model_hash, data_hash);
}

}  // namespace dlrun::train
