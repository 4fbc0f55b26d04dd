// SPDX-License-Identifier: Apache-2.0
#include "spec/gang_processes.hpp"

#include <algorithm>

#include "recipe/parallel.hpp"

namespace dlrun::spec {

namespace {

/// All values that a place has in some trial.
std::vector<Json> values_at(const Json& study, const std::string& place, const Json& base) {
  std::vector<Json> all{base};
  for (const Json& parameter : study.at("space")) {
    if (parameter.at("at") != place) continue;
    for (const Json& choice : parameter.value("choices", Json::array())) all.push_back(choice);
  }
  return all;
}

}  // namespace

int processes_of(const StudySpec& spec) {
  if (spec.kind != "train") return 1;
  const auto config = recipe::read_parallel(spec.json.at("trial"));
  return config ? std::max(1, recipe::processes_of(*config)) : 1;
}

bool repeats(const StudySpec& spec) {
  if (spec.kind != "train") return true;
  const Json& trial = spec.json.at("trial");
  const auto config = recipe::read_parallel(trial);
  if (!config || config->cluster.is_virtual) return true;
  const auto ops = values_at(spec.json, "parallel.op", trial.at("parallel").at("op"));
  return std::all_of(ops.begin(), ops.end(),
                     [](const Json& op) { return recipe::is_in_lock_step(op.get<std::string>()); });
}

}  // namespace dlrun::spec
