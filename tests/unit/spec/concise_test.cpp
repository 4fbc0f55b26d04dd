// SPDX-License-Identifier: Apache-2.0
#include "spec/concise.hpp"
#include "document/emit.hpp"
#include "unit/spec/study_file.hpp"

namespace concise_test {

using namespace dlrun;
using namespace dlrun::spec;

TEST_CASE("a trial written concisely is the same trial", "[spec][concise]") {
  for (const std::string set :
       {"trial.epochs=4", "trial.optimizer={op: adam, lr: 0.01}", "trial.schedule={op: step, every: 2, warmup: 1}",
        "trial.stop.patience=3", "trial.loss={op: focal, gamma: 3}", "trial.ema.decay=0.9"}) {
    INFO(set);
    const StudySpec spec = StudyFile(kTrees).read({set});
    const std::string written = document::to_yaml(concise_section("trial", spec.json["trial"]));
    CHECK(StudyFile(kTrees).read({"trial=" + to_text(concise_section("trial", spec.json["trial"]))}).json["trial"] ==
          spec.json["trial"]);
    CHECK(written.find("warmup_from") == std::string::npos);
  }
}

TEST_CASE("a concise trial has no keys of kinds that were not chosen", "[spec][concise]") {
  Json trial = StudyFile(kTrees).read({"trial.optimizer={op: sgd, lr: 0.01}"}).json["trial"];
  trial["optimizer"]["betas"] = {0.8, 0.9};
  CHECK(concise_section("trial", trial)["optimizer"] == Json{{"op", "sgd"}, {"lr", 0.01}});
}

TEST_CASE("concise resources leave out what has no effect at its default", "[spec][concise]") {
  const Json resources = StudyFile(kTrees).read({}).json["resources"];
  CHECK(resources.contains("gpu_share"));
  CHECK(concise_section("resources", resources).empty());
}

}  // namespace concise_test
