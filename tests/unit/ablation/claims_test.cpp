// SPDX-License-Identifier: Apache-2.0
#include "ablation/claims.hpp"

#include "ablation/cells.hpp"
#include "support/catch.hpp"

namespace claims_test {

using namespace dlrun;
using namespace dlrun::ablation;

namespace {

Plan plan_of_folds(int folds, std::vector<std::int64_t> seeds) {
  Plan plan;
  plan.folds = folds;
  plan.section.replicates.seeds = std::move(seeds);
  plan.section.replicates.n = int(plan.section.replicates.seeds->size());
  return plan;
}

}  // namespace

TEST_CASE("replicates go through the folds in their order", "[ablation][claims]") {
  const Plan plan = plan_of_folds(3, {4, 9, 2, 7});
  CHECK(replicate_edits(plan, 5, 4) == Json{{"data.split.fold", 0}});
  CHECK(replicate_edits(plan, 5, 9) == Json{{"data.split.fold", 1}});
  CHECK(replicate_edits(plan, 5, 2) == Json{{"data.split.fold", 2}});
  CHECK(replicate_edits(plan, 5, 7) == Json{{"data.split.fold", 0}});
}

TEST_CASE("runs that tune take the folds from the first on", "[ablation][claims]") {
  Plan plan = plan_of_folds(2, {1, 2});
  plan.section.retune.emplace();
  CHECK(tuning_edits(plan, 5, 1) == Json{{"first_replicate", kFirstTuning}, {"data.split.fold", 0}});
  CHECK(tuning_edits(plan, 5, 2) == Json{{"first_replicate", kFirstTuning - 1}, {"data.split.fold", 1}});
}

TEST_CASE("a study without folds has cells as ever", "[ablation][claims]") {
  const Plan plan = plan_of_folds(0, {1, 2});
  CHECK(replicate_edits(plan, 5, 1).empty());
  CHECK(plan.section.analysis.claim() == "split");
  CHECK(plan.section.analysis.kept_metric().empty());
}

TEST_CASE("a trial in folds keeps the shares of its splits", "[ablation][claims]") {
  const Json split = {{"train", 0.7}, {"val", 0.2}, {"test", 0.1}, {"stratify", "auto"}, {"folds", nullptr}};
  const Json study = {{"trial", {{"data", {{"op", "csv"}, {"split", split}}}}},
                      {"derived", {{"data", {{"train", 70}, {"val", 20}, {"test", 10}}}}}};
  const Json four = {{"test", 0.1}, {"stratify", "auto"}, {"folds", 4}, {"fold", 0}};
  CHECK(in_folds(study, 4)["data"]["split"] == four);
  Json ten = four;
  ten.update({{"folds", 10}, {"val_folds", 2}});  // 20 of 90 rows: 2.2 folds
  CHECK(in_folds(study, 10)["data"]["split"] == ten);
}

}  // namespace claims_test
