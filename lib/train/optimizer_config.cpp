// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "train/config_parts.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

/// What differs from the struct's defaults, as in PyTorch (lamb, lars, lion: as their papers).
struct Defaults {
  double lr = 0.001, weight_decay = 0, beta2 = 0.999, eps = 1e-8;
};

Defaults defaults_of(const std::string& op) {
  if (op == "sgd") return {.lr = 0.05};
  if (op == "adamw") return {.weight_decay = 0.01};
  if (op == "nadam" || op == "adamax") return {.lr = 0.002};
  if (op == "rmsprop") return {.lr = 0.01};
  if (op == "adagrad") return {.lr = 0.01, .eps = 1e-10};
  if (op == "adadelta") return {.lr = 1, .eps = 1e-6};
  if (op == "lamb") return {.weight_decay = 0.01, .eps = 1e-6};
  if (op == "lars") return {.lr = 0.1, .eps = 0};
  if (op == "lion") return {.lr = 0.0001, .beta2 = 0.99};
  return {};
}

bool is_one_of(const std::string& op, std::initializer_list<const char*> ops) {
  for (const char* one : ops) {
    if (op == one) return true;
  }
  return false;
}

void read_averages(const Section& section, const Defaults& defaults, OptimizerConfig& config) {
  const std::string& op = config.op;
  if (is_one_of(op, {"adam", "adamw", "nadam", "radam", "adamax", "lamb", "lion"})) {
    std::tie(config.beta1, config.beta2) = section.betas(0.9, defaults.beta2);
  }
  if (!is_one_of(op, {"sgd", "lion"})) config.eps = section.number("eps", defaults.eps, 0, kHuge);
  if (is_one_of(op, {"adam", "adamw"})) config.amsgrad = section.flag("amsgrad", false);
  if (is_one_of(op, {"nadam", "radam"})) config.decoupled = section.flag("decoupled", false);
  if (op == "nadam") config.momentum_decay = section.number("momentum_decay", 0.004, 0, kHuge);
  if (op == "rmsprop") {
    config.alpha = section.number("alpha", 0.99, 0, 1);
    config.centered = section.flag("centered", false);
  }
  if (op == "adagrad") {
    config.lr_decay = section.number("lr_decay", 0, 0, kHuge);
    config.initial_accumulator_value = section.number("initial_accumulator_value", 0, 0, kHuge);
  }
  if (op == "adadelta") config.rho = section.number("rho", 0.9, 0, 1);
}

void read_momentum(const Section& section, OptimizerConfig& config) {
  const std::string& op = config.op;
  if (is_one_of(op, {"sgd", "rmsprop", "lars"})) {
    config.momentum = section.number("momentum", op == "lars" ? 0.9 : 0, 0, 1);
  }
  if (op == "lars") config.trust = section.number("trust", 0.001, 0, kHuge);
  if (op != "sgd") return;
  config.dampening = section.number("dampening", 0, 0, 1);
  config.nesterov = section.flag("nesterov", false);
}

std::vector<GroupConfig> read_groups(const Section& section) {
  std::vector<GroupConfig> groups;
  for (const Section& part : section.parts("groups")) {
    GroupConfig group;
    group.match = part.texts("match");
    if (group.match.empty()) throw Error(ErrorKind::usage, fmt::format("{} needs 'match'", part.place()));
    group.lr = part.number("lr", 1, 0, kHuge);
    group.weight_decay = part.optional_number("weight_decay", 0, kHuge);
    group.frozen = part.flag("frozen", false);
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<std::string> read_no_decay(const Section& section) {
  std::vector<std::string> kinds = section.texts("no_decay");
  for (const std::string& kind : kinds) {
    if (!is_one_of(kind, {"bias", "norm", "embedding"})) section.refuse("no_decay", "of bias, norm, embedding");
  }
  return kinds;
}

}  // namespace

OptimizerConfig read_optimizer(const Json& trial) {
  const Section section(trial, "optimizer");
  OptimizerConfig config;
  config.op = section.op("sgd", kOptimizers);
  const Defaults defaults = defaults_of(config.op);
  config.lr = section.number("lr", defaults.lr, 0, kHuge);
  config.weight_decay = section.number("weight_decay", defaults.weight_decay, 0, kHuge);
  read_averages(section, defaults, config);
  read_momentum(section, config);
  config.groups = read_groups(section);
  config.no_decay = read_no_decay(section);
  return config;
}

Json to_json(const OptimizerConfig& o) {
  Json groups = Json::array();
  for (const GroupConfig& group : o.groups) {
    groups.push_back({group.match, group.lr, group.weight_decay ? Json(*group.weight_decay) : Json(), group.frozen});
  }
  return {{"op", o.op},
          {"lr", o.lr},
          {"weight_decay", o.weight_decay},
          {"momentum", {o.momentum, o.dampening, o.nesterov, o.momentum_decay}},
          {"averages", {o.beta1, o.beta2, o.eps, o.alpha, o.rho}},
          {"forms", {o.amsgrad, o.decoupled, o.centered}},
          {"adagrad", {o.lr_decay, o.initial_accumulator_value}},
          {"trust", o.trust},
          {"groups", groups},
          {"no_decay", o.no_decay}};
}

}  // namespace dlrun::train
