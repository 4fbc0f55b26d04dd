// SPDX-License-Identifier: Apache-2.0
// Fingerprints decide which stored work is used again: their bytes are part of the store's format.
#include "support/catch.hpp"
#include "train/config.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace fingerprint_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

Json reference(const std::string& name) {
  return parse_json(read_file(DLRUN_SOURCE_DIR "/tests/golden/torch/" + name), name);
}

dataset::Schema schema_of(std::int64_t classes) {
  dataset::Schema schema;
  schema.classes = classes, schema.targets = classes > 0 ? 0 : 1, schema.val = 10;
  return schema;
}

std::string of(const Json& trial, std::int64_t classes = 3) {
  return fingerprint(read_config(trial, schema_of(classes)), "model", "data");
}

/// Fingerprints of every section, hashed once more.
std::string of_all(const char* name, const std::vector<Json>& sections) {
  std::string all;
  for (const Json& section : sections) all += of({{name, section}});
  return Sha256::hex_of(all);
}

std::vector<Json> sections_of(const std::string& file, const char* key) {
  std::vector<Json> sections;
  const Json all = reference(file);
  for (const Json& item : all.at("cases")) sections.push_back(item.at(key));
  return sections;
}

std::vector<Json> defaults_of(const std::vector<const char*>& ops) {
  std::vector<Json> sections;
  for (const char* op : ops) sections.push_back({{"op", op}});
  return sections;
}

std::string of_losses() {
  std::string all;
  const Json losses = reference("losses.json");
  for (const Json& item : losses.at("cases")) {
    const Json& targets = item.at("targets");
    const Json& first = targets[0].is_array() ? targets[0][0] : targets[0];
    all += of({{"loss", item.at("section")}}, first.is_number_integer() ? 3 : 0);
  }
  return Sha256::hex_of(all);
}

}  // namespace

TEST_CASE("fingerprints of optimisers keep their bytes", "[train][fingerprint]") {
  CHECK(of_all("optimizer", sections_of("optimizers.json", "config")) ==
        "83648c04c8ec3727fd753a0f607ac42c3861cf382775cfb023863e61af44ae08");
  CHECK(of_all("optimizer", defaults_of({"sgd", "adam", "adamw", "nadam", "radam", "adamax", "rmsprop", "adagrad",
                                         "adadelta", "lamb", "lars", "lion"})) ==
        "6455acd1a18fa4f8ae1429feb0e7eed11ca8754721e0dbd80c1fb359a8328799");
  CHECK(of_all("optimizer", defaults_of({"muon"})) ==
        "0b84d0c9b2a30579ca7b5cf38c6391dc23ceb3f2120ab9b92e6ec1eff6ad0765");
  const Json groups = {{{"match", "head"}, {"lr", 0.5}},
                       {{"match", {"a", "b"}}, {"weight_decay", 0.1}, {"frozen", true}}};
  CHECK(of({{"optimizer", {{"op", "adam"}, {"groups", groups}, {"no_decay", {"bias", "norm"}}}}}) ==
        "7ae9ce865cc7730897a81842419dc5d11cd6f7f4e7c72fc8f53aea6b61e1642c");
}

TEST_CASE("fingerprints of schedules and averages keep their bytes", "[train][fingerprint]") {
  CHECK(of_all("schedule", sections_of("schedules.json", "section")) ==
        "3a640e18a28fb19760cf6c3df896c4057faae6b2d0bd88f4b9224459f9f72bba");
  CHECK(of_all("schedule", defaults_of({"constant", "step", "exponential", "linear", "polynomial", "cosine",
                                        "cosine_restarts", "one_cycle", "plateau"})) ==
        "e38bd3ee7f5fc1d3350537c33bf46cc885971a4d8385955e9a3d61a6f40c0c8f");
  CHECK(of_all("swa", {{{"start", 0.5}}, {{"start", 0.5}, {"every", 2}, {"lr", 0.01}, {"anneal_epochs", 3}}}) ==
        "f4f5030bdd5de6764f7e8cabd22bd415a56e9e13f46788aad06e825e173a45ae");
}

TEST_CASE("fingerprints of losses and outputs keep their bytes", "[train][fingerprint]") {
  CHECK(of_losses() == "8c1252ba1cfd3eff71a4f7b1c73b2d99f98cef7e50a7153343de9f6c43e4e5f6");
  CHECK(of_all("loss", defaults_of({"cross_entropy", "focal", "nll", "multi_margin", "binary_cross_entropy",
                                    "hinge"})) == "b7dd18ec0ec1a932a51240408776f8865e50656856e685a083144c62b7fddd3d");
  const Json model = {{"outputs", {{"a", {{"from", "x"}, {"target", ""}}}, {"b", {{"from", "y"}, {"target", ""}}}}}};
  CHECK(of({{"model", model}, {"loss", {{"a", {{"op", "focal"}, {"weight", 0.5}}}, {"b", {{"op", "nll"}}}}}}) ==
        "12479524b68a779ae6f9b4890b0e4506073db7a6666618cb3f4e8bf15cc78815");
}

TEST_CASE("fingerprints of a trial's own settings keep their bytes", "[train][fingerprint]") {
  CHECK(of(Json::object()) == "1933b5fabab2421fb9e8e6a2757a532bb073868d71c5928eb8c6c68ac9cac413");
  CHECK(of({{"epochs", 7}, {"horizon", 9}, {"batch_size", 4}, {"accumulate", 2}, {"precision", "bf16"}}) ==
        "3748b212401dd1a5ab98e484a3f23f302d43bc805d22eeb6f9ccf6e8f8a42cb2");
  CHECK(of({{"ema", {{"decay", 0.9}}}, {"stop", {{"patience", 3}}}, {"clip_norm", 1.5}, {"clip_value", 2}}) ==
        "80b942296120bc35ecda7047bcb164345472764f5904ae7576316ecbd2a7624e");
  CHECK(of({{"stop", {{"patience", 3}, {"min_delta", 0.5}, {"metric", "val.accuracy"}}}}) ==
        "8957e66c81c738763f5802793b1ee7105f66aae949deb4932778d05296c25d72");
}

}  // namespace fingerprint_test
