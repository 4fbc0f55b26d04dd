// SPDX-License-Identifier: Apache-2.0
// What an ablation is said to take.
#include "plan/ablation_plan.hpp"

#include "plan/plan.hpp"
#include "unit/spec/study_file.hpp"

namespace ablation_plan_test {

using namespace dlrun;
using spec::StudyFile;

namespace {

const char* const kComponents = R"(ablation:
  components:
    - {id: act, drop: {kind: relu}}
    - {id: slow, set: {optimizer.lr: 0.001}}
  replicates: {n: 4}
)";

spec::StudySpec ablation_of(const StudyFile& file, const std::string& more = {}) {
  file.write("ablation.yaml", kComponents + more);
  return spec::read({.file = file.folder / "study.yaml",
                     .data_folders = {file.folder},
                     .ablation = spec::Ablation::required,
                     .over = file.folder / "ablation.yaml"});
}

std::string value_of(const report::Table& table, const std::string& what) {
  for (const auto& row : table.rows) {
    if (row.at(0) == what) return row.at(1).get<std::string>();
  }
  return {};
}

}  // namespace

TEST_CASE("an ablation runs every variant and the baseline in each replicate", "[plan][ablation]") {
  const StudyFile file(spec::kTrees, "ablation-plan");
  const spec::StudySpec spec = ablation_of(file);
  REQUIRE(spec.ablation.has_value());
  CHECK(plan::shown_variants(spec) == std::vector<std::string>{"baseline", "act", "slow"});
  const std::vector<report::Table> tables = plan::ablation_tables(spec);
  REQUIRE(tables.size() == 2);
  CHECK(value_of(tables[0], "runs") == "12 = 3 variants, the baseline among them, x 4 replicates");
  CHECK(value_of(tables[0], "design") == "loco");
  REQUIRE(tables[1].rows.size() == 3);
  CHECK(tables[1].rows[1][0] == "act");
  CHECK(tables[1].rows[1][3] == "+0.0 %");  // an activation has no parameters
}

TEST_CASE("an elimination is planned by its most variants", "[plan][ablation]") {
  const StudyFile file(spec::kTrees, "ablation-plan");
  const spec::StudySpec spec = ablation_of(file, "  design: elimination\n");
  CHECK(plan::shown_variants(spec).front() == "baseline");
  CHECK_THAT(value_of(plan::ablation_tables(spec).front(), "runs"), Contains("at most"));
}

// Every variant counted as the longest one.
TEST_CASE("variants that set their epochs count as long as they train", "[plan][ablation]") {
  const StudyFile file(spec::kTrees, "ablation-plan");
  file.write("ablation.yaml", R"(ablation:
  components:
    - {id: short, set: {epochs: 4}}
    - {id: slow, set: {optimizer.lr: 0.001}}
  replicates: {n: 3}
)");
  const spec::StudySpec spec = spec::read({.file = file.folder / "study.yaml",
                                           .sets = {"trial.epochs=20"},
                                           .data_folders = {file.folder},
                                           .ablation = spec::Ablation::required,
                                           .over = file.folder / "ablation.yaml"});
  CHECK(value_of(plan::ablation_tables(spec).front(), "epochs") == "132");  // 3 x (20 + 4 + 20)
  CHECK(value_of(plan::ablation_tables(spec).front(), "work") == "as 132 epochs of the baseline");
  CHECK(std::round(plan::expected_work(spec).epochs) == 132);
}

TEST_CASE("a search is no ablation", "[plan][ablation]") {
  const StudyFile file(spec::kTrees, "ablation-plan");
  CHECK_FALSE(file.read().ablation.has_value());
}

}  // namespace ablation_plan_test
