// SPDX-License-Identifier: Apache-2.0
#include "spec/resumed_settings.hpp"

#include <set>

#include "dataset/dataset.hpp"

namespace dlrun::spec {

namespace {

/// Sections in which trainings with equal bits may differ, and those that are judged by themselves.
const std::set<std::string> kOtherwise = {"kind",    "epochs",     "horizon",      "replicates", "first_replicate",
                                          "folds",   "warm_start", "init",         "metrics",    "log",
                                          "cluster", "placement",  "deterministic"};

/// Names of files say nothing, for their content is not known here.
Json comparable(Json data) {
  if (!data.is_object()) return data;
  for (const std::string& key : dataset::path_keys(data)) data.erase(key);
  data.erase("prefetch");
  return data;
}

}  // namespace

std::string changed_section(Json before, Json after) {
  before["data"] = comparable(before.value("data", Json()));
  after["data"] = comparable(after.value("data", Json()));
  std::set<std::string> keys;
  for (const auto& [key, value] : before.items()) keys.insert(key);
  for (const auto& [key, value] : after.items()) keys.insert(key);
  for (const std::string& key : keys) {
    if (!kOtherwise.contains(key) && before.value(key, Json()) != after.value(key, Json())) return key;
  }
  return {};
}

const char* beginning_of(const Json& trial) {
  for (const char* key : {"init", "warm_start"}) {
    if (!trial.value(key, Json()).is_null()) return key;
  }
  return nullptr;
}

}  // namespace dlrun::spec
