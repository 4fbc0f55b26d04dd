// SPDX-License-Identifier: Apache-2.0
#include "spec/normal.hpp"

#include "util/sha256.hpp"

namespace dlrun::spec {

std::string hash_of(const Json& normal) {
  Json json = normal;
  json.erase("resources");
  json.erase("executor");
  json.erase("description");
  if (json.contains("limits")) json["limits"].erase("wall");
  Json& trial = json["trial"];
  trial.erase("folder");
  trial.erase("log");  // what is watched changes nothing
  if (trial.contains("init") && trial["init"].is_object()) trial["init"].erase("from");  // its content counts
  for (const char* path : {"path", "train_images", "train_labels", "test_images", "test_labels"}) {
    if (trial.contains("data")) trial["data"].erase(path);
  }
  return Sha256::hex_of(to_text(json));
}

}  // namespace dlrun::spec
