// SPDX-License-Identifier: Apache-2.0
#include "recipe/loss_kinds.hpp"
#include "train/config_parts.hpp"

namespace dlrun::train {

namespace {

std::vector<std::string> known(bool with_sum) {
  std::vector<std::string> names;
  for (const recipe::LossKind& kind : recipe::loss_kinds()) names.push_back(kind.name);
  if (with_sum) names.push_back("sum");
  return names;
}

void read_class_weights(const Section& section, LossConfig& config) {
  const std::string word = section.text("class_weights", "");
  if (word.empty()) return;
  config.balanced = word == "balanced";
  if (!config.balanced) config.class_weights = section.numbers("class_weights", 0, kHuge);
}

void read_settings(const Section& section, LossConfig& config) {
  const std::string& op = config.op;
  if (op == "cross_entropy") config.label_smoothing = section.number("label_smoothing", 0, 0, 1);
  if (op == "cross_entropy" || op == "focal" || op == "nll") read_class_weights(section, config);
  if (op == "focal") config.gamma = section.number("gamma", 2, 0, kHuge);
  if (op == "multi_margin" || op == "hinge") {
    config.margin = section.number("margin", 1, 0, kHuge);
    config.p = int(section.integer("p", 1, 1, 2));
  }
  if (op == "binary_cross_entropy") config.pos_weight = section.number("pos_weight", 1, 0, kHuge);
  if (op == "huber") config.delta = section.number("delta", 1, 1e-12, kHuge);
  if (op == "smooth_l1") config.delta = section.number("beta", 1, 1e-12, kHuge);
  if (op == "quantile") config.delta = section.number("quantile", 0.5, 0, 1);
  if (op == "poisson_nll") config.log_input = section.flag("log_input", true);
  if (op == "kl_div") config.log_target = section.flag("log_target", false);
}

}  // namespace

LossConfig read_loss(const Json& trial, bool classifies) {
  const Section section(trial, "loss", "sum");
  LossConfig config;
  config.op = section.op(classifies ? "cross_entropy" : "mse", known(true));
  read_settings(section, config);
  for (const Section& part : section.parts("parts")) {
    LossConfig one;
    one.op = part.op("", known(false));
    one.weight = part.number("weight", 1, 0, kHuge);
    read_settings(part, one);
    config.parts.push_back(std::move(one));
  }
  if (config.op == "sum" && config.parts.empty()) section.refuse("parts", "a list of losses");
  return config;
}

Json to_json(const LossConfig& l) {
  Json parts = Json::array();
  for (const LossConfig& part : l.parts) parts.push_back(to_json(part));
  return {{"op", l.op},
          {"classes", {l.label_smoothing, l.balanced, l.class_weights, l.gamma}},
          {"margin", {l.margin, l.p, l.pos_weight}},
          {"numbers", {l.delta, l.log_input, l.log_target}},
          {"weight", l.weight},
          {"parts", parts}};
}

}  // namespace dlrun::train
