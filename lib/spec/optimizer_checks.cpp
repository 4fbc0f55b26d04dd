// SPDX-License-Identifier: Apache-2.0
// Checks of `optimizer:` beyond the table of keys: groups name tensors of the model, and settings have an effect.
#include <fmt/format.h>

#include <algorithm>

#include "model/parameter_groups.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

using Patterns = std::vector<std::vector<model::TensorPattern>>;

const std::string kGroups = "trial.optimizer.groups";

void check_group(const Json& group, const std::string& path, Patterns& patterns, Faults& faults) {
  patterns.emplace_back();
  for (std::size_t i = 0; i < group["match"].size(); ++i) {
    if (!group["match"][i].is_string()) continue;
    try {
      patterns.back().emplace_back(group["match"][i].get<std::string>());
    } catch (const Error& fault) {
      faults.at(join(join(path, "match"), std::to_string(i)), fault.what(), "e.g. 'encoder', or 'block[0-3]'");
    }
  }
  const bool has_settings = group["lr"] != 1.0 || !group["weight_decay"].is_null();
  if (group["frozen"] == true && has_settings) {
    const char* key = group["lr"] != 1.0 ? "lr" : "weight_decay";
    faults.at_key(join(path, key), fmt::format("frozen tensors have no use for '{}'", key), "remove one of the two");
  } else if (group["frozen"] == false && !has_settings && !faults.is_bad(path)) {
    faults.at_key(path, "the group sets nothing", "give it lr, weight_decay or frozen");
  }
}

/// A key that only some methods have; null where it is not there.
Json optimizer_value(const Json& section, const char* key) { return section.value(key, Json()); }

bool is_of_kind(const model::TrainedTensor& tensor, const std::string& kind) {
  return kind == "bias" ? tensor.is_bias : kind == "norm" ? tensor.is_norm : tensor.is_embedding;
}

void check_no_decay(const Json& optimizer, const Json& space, const std::vector<model::TrainedTensor>& tensors,
                    Faults& faults) {
  const Json& kinds = optimizer["no_decay"];
  const std::string path = "trial.optimizer.no_decay";
  if (!kinds.is_array() || kinds.empty() || faults.is_bad(path)) return;
  if (optimizer["weight_decay"] == 0.0 && !is_set(space, "optimizer.weight_decay")) {
    return faults.at_key(path, "there is no weight decay to exclude from", "give the optimizer a weight_decay");
  }
  const bool excludes = std::any_of(tensors.begin(), tensors.end(), [&](const model::TrainedTensor& tensor) {
    return std::any_of(kinds.begin(), kinds.end(), [&](const Json& kind) {
      return kind.is_string() && is_of_kind(tensor, kind.get<std::string>());
    });
  });
  if (!excludes) faults.at_key(path, "the model has no tensor of these kinds", "remove no_decay");
}

std::string listed_names(const std::vector<model::TrainedTensor>& tensors) {
  constexpr std::size_t kMost = 12;
  std::string out = "tensors are";
  for (std::size_t i = 0; i < tensors.size() && i < kMost; ++i) out += (i == 0 ? " " : ", ") + tensors[i].name;
  return tensors.size() > kMost ? out + ", …" : out;
}

void check_used(const Json& groups, const std::vector<model::TrainedTensor>& tensors, Faults& faults) {
  const auto count = [&](const auto& fits) { return std::count_if(tensors.begin(), tensors.end(), fits); };
  std::int64_t frozen = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto taken = count([&](const model::TrainedTensor& tensor) { return tensor.group == int(i); });
    frozen += groups[i]["frozen"] == true ? taken : 0;
    const std::string path = join(kGroups, std::to_string(i));
    if (taken == 0) {
      faults.at(join(path, "match"), "no tensor of the model is left for this group",
                i > 0 ? "a tensor belongs to the first group that names it; " + listed_names(tensors)
                      : listed_names(tensors));
    }
  }
  const bool is_empty = frozen == std::int64_t(tensors.size()) && frozen > 0;
  if (is_empty && !faults.is_bad(kGroups)) faults.at_key(kGroups, "every tensor is frozen, nothing would be trained");
}

bool decays(const Json& optimizer, const Json& space) {
  if (optimizer["weight_decay"] != 0.0 || is_set(space, "optimizer.weight_decay")) return true;
  const Json& groups = optimizer["groups"];
  return std::any_of(groups.begin(), groups.end(), [](const Json& group) {
    return group["weight_decay"].is_number() && group["weight_decay"] != 0.0;
  });
}

/// No errors, because an ablation may take away the setting that these go with.
void warn_of_idle(const Json& optimizer, const Json& space, Faults& faults) {
  const Json dampening = optimizer_value(optimizer, "dampening");
  const bool has_momentum = optimizer_value(optimizer, "momentum") != 0.0 || is_set(space, "optimizer.momentum");
  if (dampening.is_number() && dampening != 0.0 && !has_momentum)
    faults.warn("trial.optimizer.dampening", "it changes nothing: it dampens a momentum, which is 0",
                "write momentum: 0.9");
  if (optimizer_value(optimizer, "decoupled") == true && !decays(optimizer, space))
    faults.warn("trial.optimizer.decoupled", "it changes nothing: weight_decay is 0",
                "give the optimizer a weight_decay");
}

}  // namespace

void check_optimizer(const Json& trial, const Json& space, const dataset::Schema& schema, Faults& faults) {
  const Json& optimizer = trial["optimizer"];
  if (!optimizer.is_object() || faults.is_bad("trial.optimizer")) return;
  if (optimizer.contains("betas") && optimizer["betas"].size() != 2) {
    faults.at("trial.optimizer.betas", "betas are two numbers", "e.g. [0.9, 0.999]");
  }
  if (optimizer_value(optimizer, "nesterov") == true && optimizer["momentum"] == 0.0 &&
      !is_set(space, "optimizer.momentum")) {
    faults.at("trial.optimizer.nesterov", "nesterov looks ahead along a momentum, which is 0", "write momentum: 0.9");
  }
  warn_of_idle(optimizer, space, faults);
  Patterns patterns;
  const Json& groups = optimizer["groups"];
  for (std::size_t i = 0; i < groups.size(); ++i) {
    check_group(groups[i], join(kGroups, std::to_string(i)), patterns, faults);
  }
  const bool needs_model = !groups.empty() || !optimizer["no_decay"].empty();
  if (!needs_model || faults.is_bad(kGroups) || faults.is_bad("trial.model")) return;
  std::vector<model::ModelError> none;
  const model::Graph graph = model::build(trial["model"], interface_of(schema, trial), &none);
  const std::vector<model::TrainedTensor> tensors = model::trained_tensors(graph, patterns);
  check_used(groups, tensors, faults);
  check_no_decay(optimizer, space, tensors, faults);
}

}  // namespace dlrun::spec
