// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "recipe/metric_kinds.hpp"
#include "recipe/schedule_config.hpp"
#include "trial/section.hpp"
#include "util/error.hpp"

namespace dlrun::recipe {

namespace {

using trial::kHuge;
using trial::Section;

constexpr std::int64_t kMost = 1'000'000;

void read_curve(const Section& section, ScheduleConfig& config) {
  const std::string& op = config.op;
  if (op == "step") config.every = section.integer("every", 10, 1, kMost);
  if (op == "step" || op == "multi_step") config.gamma = section.number("gamma", 0.1, 0, kHuge);
  if (op == "exponential") config.gamma = section.number("gamma", 0.95, 0, kHuge);
  if (op == "multi_step") {
    for (const double epoch : section.numbers("milestones", 1, double(kMost))) {
      config.milestones.push_back(std::int64_t(epoch));
    }
  }
  if (op == "linear") {
    config.start = section.number("start", 1, 0, kHuge);
    config.end = section.number("end", 0, 0, kHuge);
  }
  if (op == "polynomial") config.power = section.number("power", 1, 0, kHuge);
  if (op == "cosine" || op == "polynomial" || op == "cosine_restarts" || op == "plateau") {
    config.min_lr = section.number("min_lr", 0, 0, kHuge);
  }
  if (op == "cosine_restarts") {
    config.period = section.integer("period", 10, 1, kMost);
    config.mult = section.integer("mult", 1, 1, 1000);
  }
}

void read_one_cycle(const Section& section, ScheduleConfig& config) {
  config.pct_start = section.number("pct_start", 0.3, 0, 1);
  config.div_factor = section.number("div_factor", 25, 1e-12, kHuge);
  config.final_div_factor = section.number("final_div_factor", 1e4, 1e-12, kHuge);
  config.anneal = section.word("anneal", "cos", {"cos", "linear"});
  config.cycle_momentum = section.flag("cycle_momentum", false);
  config.base_momentum = section.number("base_momentum", 0.85, 0, 1);
  config.max_momentum = section.number("max_momentum", 0.95, 0, 1);
}

void read_plateau(const Section& section, bool has_val, ScheduleConfig& config) {
  config.metric = section.text("metric", has_val ? "val.loss" : "train.loss");
  config.maximize = is_maximized(config.metric);
  config.factor = section.number("factor", 0.1, 0, 1);
  config.patience = section.integer("patience", 10, 0, kMost);
  config.cooldown = section.integer("cooldown", 0, 0, kMost);
  config.threshold = section.number("threshold", 1e-4, 0, kHuge);
  config.threshold_mode = section.word("threshold_mode", "rel", {"rel", "abs"});
}

void read_warmup(const Section& section, ScheduleConfig& config) {
  config.warmup = section.number("warmup", 0, 0, 1e9);
  if (config.warmup == 0) return;
  config.warmup_shape = section.word("warmup_shape", "linear", {"linear", "exponential", "constant"});
  config.warmup_from = section.number("warmup_from", 0, 0, 1);
  if (config.warmup_shape != "linear" && config.warmup_from == 0) {
    section.refuse("warmup_from", "above 0 where warmup_shape is " + config.warmup_shape);
  }
}

/// Those that are functions of the step alone, and of no part's own.
std::vector<std::string> kinds_of_parts() {
  std::vector<std::string> kinds = kSchedules;
  std::erase_if(kinds, [](const std::string& op) { return op == "sequence" || op == "plateau"; });
  return kinds;
}

ScheduleConfig read_part(const Section& section) {
  ScheduleConfig config;
  config.op = section.op("constant", kinds_of_parts());
  config.epochs = section.integer("epochs", 0, 1, kMost);
  read_curve(section, config);
  if (config.op == "one_cycle") read_one_cycle(section, config);
  return config;
}

void read_parts(const Section& section, ScheduleConfig& config) {
  for (const Section& part : section.parts("parts")) config.parts.push_back(read_part(part));
  if (config.parts.empty()) section.refuse("parts", "a list of schedules");
  for (std::size_t i = 0; i + 1 < config.parts.size(); ++i) {
    if (config.parts[i].epochs == 0) {
      throw Error(ErrorKind::usage, fmt::format("schedule.parts.{} needs its epochs; only the last may go without", i));
    }
  }
}

}  // namespace

ScheduleConfig read_schedule(const Json& trial, bool has_val) {
  const Section section(trial, "schedule", "sequence");
  ScheduleConfig config;
  config.op = section.op("constant", kSchedules);
  read_curve(section, config);
  if (config.op == "one_cycle") read_one_cycle(section, config);
  if (config.op == "plateau") read_plateau(section, has_val, config);
  if (config.op == "sequence") read_parts(section, config);
  if (config.op != "one_cycle") read_warmup(section, config);
  return config;
}

Json to_json(const ScheduleConfig& s) {
  Json parts = Json::array();
  for (const ScheduleConfig& part : s.parts) parts.push_back(to_json(part));
  return {
      {"op", s.op},
      {"drops", {s.every, s.milestones, s.gamma}},
      {"curve", {s.min_lr, s.power, s.start, s.end, s.period, s.mult}},
      {"one_cycle",
       {s.pct_start, s.div_factor, s.final_div_factor, s.anneal, s.cycle_momentum, s.base_momentum, s.max_momentum}},
      {"plateau", {s.metric, s.maximize, s.factor, s.patience, s.cooldown, s.threshold, s.threshold_mode}},
      {"parts", parts},
      {"epochs", s.epochs},
      {"warmup", {s.warmup, s.warmup_shape, s.warmup_from}}};
}

std::optional<SwaConfig> read_swa(const Json& trial, std::int64_t epochs) {
  const Section section(trial, "swa");
  if (!section.has("start")) return std::nullopt;
  SwaConfig swa;
  swa.when.start = section.number("start", 0.75, 0, 1);
  swa.when.every = section.integer("every", 1, 1, 1'000'000);
  swa.when.epochs = epochs;
  swa.lr = section.optional_number("lr", 0, kHuge);
  if (swa.lr) {
    swa.anneal_epochs = section.integer("anneal_epochs", 10, 0, 1'000'000);
    swa.anneal_strategy = section.word("anneal_strategy", "cos", {"cos", "linear"});
  }
  if (swa.when.count(epochs) < 2) section.refuse("start", "early enough for two epochs to be averaged");
  return swa;
}

}  // namespace dlrun::recipe
