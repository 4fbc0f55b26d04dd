// SPDX-License-Identifier: Apache-2.0
// Replicates and folds: the members of every trial.
#include <fmt/format.h>

#include <algorithm>

#include "spec/keys_train.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"
#include "trial/runner.hpp"

namespace dlrun::spec {

namespace {

const std::string kFolds = "trial.folds";

bool is_number(const Json& trial, const char* key) { return trial.contains(key) && trial[key].is_number_integer(); }

int count_of(const Json& trial) {
  const int replicates = is_number(trial, "replicates") ? trial["replicates"].get<int>() : 1;
  return replicates * (is_number(trial, "folds") ? trial["folds"].get<int>() : 1);
}

/// A parameter that sets the place; nullptr: none does.
const Json* parameter_at(const Json& space, const std::string& place) {
  const auto found = std::find_if(space.begin(), space.end(),
                                  [&](const Json& p) { return p.is_object() && p.contains("at") && p["at"] == place; });
  return found == space.end() ? nullptr : &*found;
}

void refuse_twice(const Json& trial, const Json& split, const Json& space, Faults& faults) {
  const std::string path = "trial.data.split";
  if (split.contains("folds") && split["folds"] != trial["folds"]) {
    faults.clash(kFolds,
                 fmt::format("a trial of {} folds on data of {}", to_text(trial["folds"]), to_text(split["folds"])),
                 path + ".folds", "the folds of the data", "leave those of the data out");
  }
  if (split.contains("fold") && !split["fold"].is_null()) {
    faults.at_key(path + ".fold", "'fold' has no effect beside trial.folds: every fold is measured", "remove it");
  }
  const Json* parameter = parameter_at(space, "data.split.fold");
  if (parameter != nullptr) {
    faults.at_key(path_of(*parameter), "with trial.folds every trial measures every fold", "remove the parameter");
  }
}

/// Test functions without noise measure the same each time.
void check_noise(const Json& trial, const Json& space, Faults& faults) {
  const Json& function = trial["function"];
  const bool has_noise =
      !function.is_object() || function.value("noise", 0.0) > 0 || parameter_at(space, "function.noise") != nullptr;
  if (has_noise || count_of(trial) == 1) return;
  const char* key = is_number(trial, "folds") ? "folds" : "replicates";
  faults.at_key(fmt::format("trial.{}", key), fmt::format("'{}' changes nothing where the function has no noise", key),
                "write function: {op: …, noise: 0.1}, or remove it");
}

void check_folds(const Json& trial, std::uint64_t seed, Faults& faults) {
  for (int fold = 1; fold < trial["folds"].get<int>(); ++fold) {
    try {
      (void)dataset::inspect(trial::configured(trial, {{"data.split.fold", fold}})["data"], {}, seed);
    } catch (const Error& fault) {
      return faults.at(kFolds, fmt::format("fold {}: {}", fold, fault.what()), fault.hint());
    }
  }
}

}  // namespace

void take_folds(Json& trial, const Json& space, Faults& faults) {
  if (faults.is_bad(kFolds) || !is_number(trial, "folds") || trial["kind"] != "train") return;
  Json& data = trial["data"];
  if (!data.is_object()) return;
  Json split = data.value("split", Json());
  if (split.is_null()) split = Json::object();
  if (!split.is_object()) return;
  refuse_twice(trial, split, space, faults);
  split["folds"] = trial["folds"];
  data["split"] = split;
}

void check_members(Json& trial, const Json& space, std::uint64_t seed, Faults& faults) {
  if (faults.is_bad(kFolds) || faults.is_bad("trial.replicates")) return;
  if (count_of(trial) > kMostMembers) {
    faults.at(kFolds, fmt::format("replicates x folds make {} members, but a trial may have {}", count_of(trial),
                                  kMostMembers));
  }
  if (trial["kind"] == "function") check_noise(trial, space, faults);
  if (trial["kind"] == "train" && is_number(trial, "folds")) check_folds(trial, seed, faults);
  if (trial["replicates"] == 1) trial.erase("replicates");
  if (trial["first_replicate"] == 1) trial.erase("first_replicate");
  if (trial["folds"].is_null()) trial.erase("folds");
}

}  // namespace dlrun::spec
