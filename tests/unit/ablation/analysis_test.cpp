// SPDX-License-Identifier: Apache-2.0
// The analysis of a plan, as the statistics take it.
#include "ablation/analysis.hpp"

#include "support/catch.hpp"

namespace analysis_test {

using namespace dlrun;
using namespace dlrun::ablation;

TEST_CASE("the analysis that a plan asks for is the one that is made", "[ablation][analysis]") {
  Plan plan;
  Analysis& asked = plan.section.analysis;
  asked.metric = "val.accuracy";
  asked.alpha = 0.02;
  asked.interval = 0.9;
  asked.rope = 0.01;
  asked.correction = "bh";
  asked.test = "wilcoxon";
  const Json study = parse_json(R"({"trial":{"kind":"function"}})", "study");
  const auto made = analysis_options(plan, study, false);
  CHECK(made.alpha == 0.02);
  CHECK(made.level == 0.9);
  CHECK(made.rope == 0.01);
  CHECK(made.correction == statistics::Correction::benjamini_hochberg);
  CHECK(made.correction != statistics::AnalysisOptions().correction);
  CHECK(made.test == statistics::PairedTest::wilcoxon);
  CHECK(made.test != statistics::AnalysisOptions().test);
  CHECK_FALSE(made.maximize);
  CHECK_FALSE(made.constant_is_collapsed);
  CHECK(made.looks.at.empty());
}

TEST_CASE("without a region of equivalence there is none, and the share of the test is that of the metric's split",
          "[ablation][analysis]") {
  Plan plan;
  plan.section.analysis = {.metric = "test.accuracy"};
  const Json study = parse_json(R"({"derived":{"data":{"train":60,"val":30,"test":15}}})", "study");
  CHECK(analysis_options(plan, study, true).rope == 0);
  CHECK(analysis_options(plan, study, true).test_share == 0);
  plan.section.replicates.vary = Names{"split"};
  plan.section.analysis.claims = "split";
  CHECK(analysis_options(plan, study, true).test_share == 0.25);
  CHECK(analysis_options(plan, Json::object(), true).test_share == 0);
}

TEST_CASE("looks are taken at the replicates that the plan names", "[ablation][analysis]") {
  Plan plan;
  plan.section.analysis = {.metric = "value"};
  plan.section.stopping.emplace();
  plan.section.stopping->looks = {4, 8};
  plan.section.stopping->boundary = "pocock";
  const auto made = analysis_options(plan, Json::object(), true);
  CHECK(made.maximize);
  CHECK(made.constant_is_collapsed);
  CHECK(made.looks.at == std::vector<int>{4, 8});
  CHECK(made.looks.boundary == statistics::Boundary::pocock);
}

}  // namespace analysis_test
