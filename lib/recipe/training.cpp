// SPDX-License-Identifier: Apache-2.0
#include "recipe/training.hpp"

#include "options/field.hpp"
#include "recipe/metric_kinds.hpp"
#include "recipe/schedule_config.hpp"

namespace dlrun::recipe {

namespace {

using options::choice;
using options::field;
using options::integer;
using options::real;
using options::text;

constexpr double kLargestBatch = 1 << 20;

options::Fields<StopConfig> stop_fields() {
  return {field(integer("patience", "epochs without progress that are forgiven")
                    .from(0)
                    .to(kMostEpochs)
                    .or_else("it goes on"),
                &StopConfig::patience),
          field(real("min_delta", "progress is more than this").from(0), &StopConfig::min_delta),
          field(text("metric", "what is watched").or_else("val.loss, or train.loss without a validation split"),
                &StopConfig::metric)};
}

options::Fields<TrainingConfig> ema_fields() {
  return {field(real("decay", "share of the average kept at a step").above(0).below(1).or_else("no average"),
                &TrainingConfig::ema)};
}

options::Fields<TrainingConfig> log_fields() {
  return {field(integer("every", "steps from one point to the next: loss, rate, norms, speed, memory")
                    .from(1)
                    .to(1e12)
                    .or_else("no curves"),
                &TrainingConfig::log_every)};
}

options::Fields<TrainingConfig> length_fields() {
  return {field(integer("epochs", "the most epochs a trial gets").from(1).to(kMostEpochs), &TrainingConfig::epochs),
          field(integer("horizon", "epochs that schedules span, where the trial is the beginning of a longer training")
                    .from(1)
                    .to(kMostEpochs)
                    .or_else("as epochs"),
                &TrainingConfig::horizon),
          field(integer("batch_size", "examples in a step").from(1).to(kLargestBatch).search(),
                &TrainingConfig::batch_size),
          field(integer("accumulate", "batches whose gradients make one step").from(1).to(kLargestBatch).search(),
                &TrainingConfig::accumulate)};
}

options::Fields<TrainingConfig> gradient_fields() {
  return {
      field(choice("precision", "what products are computed in; weights and optimiser are fp32 always",
                   {"fp32", "bf16", "fp16"})
                .search(),
            &TrainingConfig::precision),
      field(real("clip_norm", "gradients are scaled to at most this norm").above(0).or_else("no clipping").search(),
            &TrainingConfig::clip_norm),
      field(real("clip_value", "each gradient is cut to at most this size").above(0).or_else("no clipping").search(),
            &TrainingConfig::clip_value)};
}

const options::Fields<TrainingConfig>& training_fields() {
  static const options::Fields<TrainingConfig> fields = [] {
    options::Fields<TrainingConfig> all = length_fields();
    for (const auto& one : gradient_fields()) all.push_back(one);
    all.push_back(options::nested("ema", "averaged weights, measured in place of the last ones", ema_fields()));
    all.push_back(options::optional_part("stop", "ends a trial that gets no better", &TrainingConfig::stop,
                                         stop_fields(), "patience"));
    all.push_back(options::nested("log", "curves by optimiser step, beside those by epoch", log_fields()));
    return all;
  }();
  return fields;
}

}  // namespace

const options::Key& training_key(const std::string& name) {
  static const options::Table keys = options::keys_of(training_fields());
  return *find(keys, name);
}

TrainingConfig read_training(const Json& trial, bool has_val) {
  TrainingConfig config;
  read_fields(trial, training_fields(), "", config);
  if (!config.stop) return config;
  StopConfig& stop = *config.stop;
  if (stop.metric.empty()) stop.metric = has_val ? "val.loss" : "train.loss";
  stop.maximize = is_maximized(stop.metric);
  return config;
}

}  // namespace dlrun::recipe
