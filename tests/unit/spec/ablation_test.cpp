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

}  // namespace spec_ablation_test
