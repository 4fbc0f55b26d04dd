// SPDX-License-Identifier: Apache-2.0
// Epochs to a target, by a running median of three.
#include "report/final_runs.hpp"
#include "support/catch.hpp"

namespace final_test {

using namespace dlrun;
using namespace dlrun::report;

TEST_CASE("a single lucky epoch does not reach a target", "[report][final]") {
  CHECK(epochs_to({0.5, 0.9, 0.6, 0.9, 0.9}, 0.8, true) == std::pair<std::int64_t, bool>{4, true});
  CHECK(epochs_to({0.9, 0.5}, 0.8, true) == std::pair<std::int64_t, bool>{1, true});
  CHECK(epochs_to({0.5, 0.9}, 0.8, true) == std::pair<std::int64_t, bool>{2, false});  // of two the worse
}

TEST_CASE("a target that is never reached counts with all epochs", "[report][final]") {
  CHECK(epochs_to({0.1, 0.2, 0.3}, 0.8, true) == std::pair<std::int64_t, bool>{3, false});
  CHECK(epochs_to({}, 0.8, true) == std::pair<std::int64_t, bool>{0, false});
}

TEST_CASE("a short run that misses the target counts with a rival's epochs", "[report][final]") {
  CHECK(epochs_to({0.1, 0.2, 0.3}, 0.8, true, 24) == std::pair<std::int64_t, bool>{24, false});
  CHECK(epochs_to({0.1, 0.9, 0.9}, 0.8, true, 24) == std::pair<std::int64_t, bool>{3, true});
}

TEST_CASE("what is minimised reaches a target from above", "[report][final]") {
  CHECK(epochs_to({0.9, 0.4, 0.6, 0.4, 0.3}, 0.5, false) == std::pair<std::int64_t, bool>{4, true});
  CHECK(epochs_to({0.4, 0.9}, 0.5, false).second);
}

namespace {

/// Of one epoch each, by seed.
FinalArm arm(const std::string& name, const std::vector<double>& ends) {
  FinalArm out{.name = name};
  for (std::size_t seed = 0; seed < ends.size(); ++seed) {
    FinalTraining& training = out.trainings[std::to_string(seed)];
    training.curve = {ends[seed]};
    training.reached = 1;
  }
  return out;
}

/// The column of what the arms end with.
std::vector<Json> equivalence(const FinalStudy& study) {
  const Table table = tables_of(study).at(1);
  std::vector<Json> out;
  for (const auto& row : table.rows) out.push_back(row.back());
  CHECK((table.columns.back() == "equivalence") == (study.points > 0));
  return out;
}

}  // namespace

TEST_CASE("ends are equivalent where two one-sided tests say so", "[report][final]") {
  FinalStudy study{.metric = "val.accuracy", .points = 0.3};
  study.arms = {arm("kaiming", {0.90, 0.91, 0.92, 0.90})};
  study.arms.push_back(arm("near", {0.901, 0.912, 0.92, 0.901}));
  // Differences 0.001, 0.002, 0, 0.001: t = (0.003 - 0.001) / (0.000816 / 2) = 4.90 of 3 degrees, p = 0.0081.
  CHECK(equivalence(study) == std::vector<Json>{nullptr, "equivalent within 0.3 points (p = 0.0081)"});
  SECTION("p is corrected for the rivals") {
    study.arms.push_back(arm("far", {0.95, 0.90, 0.99, 0.90}));
    const std::vector<Json> found = equivalence(study);
    CHECK(found[1] == "equivalent within 0.3 points (p = 0.016)");
    CHECK(found[2].get<std::string>().starts_with("not shown (p = 0."));
  }
  SECTION("a wider margin shows more, none asks nothing") {
    study.points = 0.1;
    CHECK(equivalence(study)[1] == "not shown (p = 0.5)");
    study.points = 0;
    CHECK(tables_of(study).at(1).columns.back() == "p_corrected");
  }
  SECTION("one pair shows nothing") {
    study.arms = {arm("kaiming", {0.9}), arm("near", {0.9})};
    CHECK(equivalence(study)[1].is_null());
  }
}

}  // namespace final_test
