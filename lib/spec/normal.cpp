// SPDX-License-Identifier: Apache-2.0
#include "spec/normal.hpp"

#include "dataset/dataset.hpp"
#include "util/sha256.hpp"
#include "warmstart/settings.hpp"

namespace dlrun::spec {

namespace {

/// Removes what follows from the data, and the places of the variants' data and weights.
void strip_places(Json& ablation) {
  ablation.erase("majority");
  if (!ablation.contains("variants")) return;
  for (Json& variant : ablation["variants"]) {
    const auto edit = variant["edits"].find("data");
    if (edit != variant["edits"].end() && edit->is_object()) *edit = dataset::without_paths(std::move(*edit));
    const auto start = variant["edits"].find("warm_start");
    if (start != variant["edits"].end()) *start = warmstart::without_places(std::move(*start));
  }
}

}  // namespace

Json identity_of(const Json& normal) {
  Json json = normal;
  json.erase("resources");
  json.erase("executor");
  json.erase("description");
  json.erase("final");  // comes after all that is decided
  json.erase("reuse");  // a cited result is the one that would have been measured
  if (json.contains("limits")) {
    json["limits"].erase("wall");
    json["limits"].erase("gpu_hours");
  }
  if (json.contains("retry")) {
    for (const char* key : kWhenAndWhere) json["retry"].erase(key);
  }
  static const Json::json_pointer kOfAblation("/derived/ablation");
  if (json.contains(kOfAblation)) strip_places(json[kOfAblation]);
  Json& trial = json["trial"];
  trial.erase("folder");
  trial.erase("log");  // watching a training changes nothing of it
  if (trial.contains("init") && trial["init"].is_object()) trial["init"].erase("from");  // the file's content counts
  if (trial.contains("warm_start")) trial["warm_start"] = warmstart::without_places(std::move(trial["warm_start"]));
  if (trial.contains("data")) trial["data"] = dataset::without_paths(std::move(trial["data"]));
  return json;
}

std::string hash_of(const Json& normal) { return Sha256::hex_of(to_text(identity_of(normal))); }

}  // namespace dlrun::spec
