// SPDX-License-Identifier: Apache-2.0
#include "spec/normal.hpp"

#include "util/sha256.hpp"

namespace dlrun::spec {

Json to_json(const dataset::Schema& s) {
  return {{"input", s.input},       {"classes", s.classes}, {"targets", s.targets}, {"class_names", s.class_names},
          {"features", s.features}, {"columns", s.columns}, {"train", s.train},     {"val", s.val},
          {"test", s.test},         {"sha256", s.sha256}};
}

dataset::Schema schema_from_json(const Json& json) {
  dataset::Schema s;
  json.at("input").get_to(s.input);
  json.at("classes").get_to(s.classes);
  json.at("targets").get_to(s.targets);
  json.at("class_names").get_to(s.class_names);
  json.at("features").get_to(s.features);
  json.at("columns").get_to(s.columns);
  json.at("train").get_to(s.train);
  json.at("val").get_to(s.val);
  json.at("test").get_to(s.test);
  json.at("sha256").get_to(s.sha256);
  return s;
}

std::string hash_of(const Json& normal) {
  Json json = normal;
  json.erase("resources");
  json.erase("executor");
  json.erase("description");
  if (json.contains("limits")) json["limits"].erase("wall");
  Json& trial = json["trial"];
  trial.erase("folder");
  for (const char* path : {"path", "train_images", "train_labels", "test_images", "test_labels"}) {
    if (trial.contains("data")) trial["data"].erase(path);
  }
  return Sha256::hex_of(to_text(json));
}

}  // namespace dlrun::spec
