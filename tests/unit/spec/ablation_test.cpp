// SPDX-License-Identifier: Apache-2.0
// Ablations as spec::read() leaves them: the plan, its normal form, its hash.
#include "ablation/plan_json.hpp"
#include "support/catch.hpp"
#include "unit/spec/study_file.hpp"

namespace spec_ablation_test {

using namespace dlrun;

TEST_CASE("where the data of a variant lie is no part of the study", "[spec][ablation]") {
  constexpr const char* kStudy = R"(
study: moved
objective: {metric: val.loss}
trial:
  kind: train
  data: {op: csv, path: trees.csv, target: kind, split: {train: 0.6, val: 0.4}}
  model: {nodes: [{name: out, op: linear, out: classes}]}
  epochs: 1
ablation:
  components: [{id: width, drop_feature: width}, {id: colour, drop_feature: colour}]
  replicates: {n: 8}
)";
  const auto hash_in = [](const spec::StudyFile& study) {
    return spec::read({.file = study.folder / "study.yaml", .ablation = spec::Ablation::allowed}).hash;
  };
  const std::string here = hash_in(spec::StudyFile(kStudy, "here"));
  CHECK(here == hash_in(spec::StudyFile(kStudy, "there")));
}

TEST_CASE("an ablation names all of a search that it leaves aside", "[spec][ablation]") {
  const auto warned = [](const std::string& more) {
    const spec::StudyFile study(spec::kTrees + more + "ablation: {components: [{id: act1, drop: {name: act1}}]}\n");
    std::vector<spec::Warning> found;
    (void)spec::read({.file = study.folder / "study.yaml", .ablation = spec::Ablation::allowed}, &found);
    return found.empty() ? "" : found.front().text;
  };
  CHECK_THAT(warned("limits: {trials: 3}\nwinner: {}\nfinal: {epochs: 4}\n"),
             Contains("leaves aside space, limits.trials, winner, final"));
  CHECK_THAT(warned("final: {of: trees/1, epochs: 4}\n"), Contains("leaves aside space") && !Contains("final"));
}

}  // namespace spec_ablation_test
