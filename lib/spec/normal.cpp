// SPDX-License-Identifier: Apache-2.0
#include "spec/normal.hpp"

#include "ablation/plan_json.hpp"
#include "dataset/dataset.hpp"
#include "util/sha256.hpp"
#include "warmstart/settings.hpp"

namespace dlrun::spec {

namespace {

/// Removes places of data and of donors from the edits of a variant.
void strip_places(Json& edits) {
  if (const auto data = edits.find("data"); data != edits.end() && data->is_object())
    *data = dataset::without_paths(std::move(*data));
  if (const auto start = edits.find("warm_start"); start != edits.end())
    *start = warmstart::without_places(std::move(*start));
}

}  // namespace

namespace {

/// Keys that came later leave the hash of a study without them as it was.
void strip_unset(Json& trial, const char* section, std::initializer_list<const char*> keys) {
  const auto found = trial.find(section);
  if (found == trial.end() || !found->is_object()) return;
  for (const char* key : keys) {
    if (found->value(key, Json()).is_null()) found->erase(key);
  }
}

}  // namespace

Json identity_of(const Json& normal) {
  Json json = normal;
  json.erase("resources");
  json.erase("executor");
  json.erase("description");
  json.erase("final");  // comes after all that is decided
  json.erase("winner");
  json.erase("reuse");  // cited values equal those that would be measured
  if (json.contains("limits")) {
    json["limits"].erase("wall");
    json["limits"].erase("gpu_hours");
  }
  if (json.contains("retry")) {
    for (const char* key : kWhenAndWhere) json["retry"].erase(key);
  }
  ablation::strip_plan(json, strip_places);
  Json& trial = json["trial"];
  trial.erase("folder");
  trial.erase("log");  // curves that are logged change nothing
  if (trial.contains("init") && trial["init"].is_object()) trial["init"].erase("from");  // the file's content counts
  if (trial.contains("warm_start")) trial["warm_start"] = warmstart::without_places(std::move(trial["warm_start"]));
  strip_unset(trial, "parallel", {"alpha", "lazy_scale", "trigger"});
  strip_unset(trial, "placement", {"forward", "backward", "schedule"});
  strip_unset(trial, "data", {"standardise_targets"});
  if (trial.contains("data")) trial["data"] = dataset::without_paths(std::move(trial["data"]));
  return json;
}

std::string hash_of(const Json& normal) { return Sha256::hex_of(to_text(identity_of(normal))); }

}  // namespace dlrun::spec
