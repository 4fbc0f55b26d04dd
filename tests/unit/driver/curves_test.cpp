// SPDX-License-Identifier: Apache-2.0
// Counts and curves that a display shows while trials run.
#include "driver/curves.hpp"

#include "around.hpp"
#include "driver/tally.hpp"
#include "support/catch.hpp"

namespace curves_test {

using namespace dlrun;
using namespace dlrun::driver;
using Values = std::vector<double>;

namespace {

Curve counted_to(std::int64_t last) {
  Curve curve;
  for (std::int64_t epoch = 1; epoch <= last; ++epoch) curve.add_value(epoch, double(epoch));
  return curve;
}

}  // namespace

TEST_CASE("a short curve has every epoch", "[driver][curves]") {
  CHECK(counted_to(0).values().empty());
  CHECK(counted_to(3).values() == Values{1, 2, 3});
  CHECK(counted_to(64).values().size() == 64);
}

TEST_CASE("a long curve is an even sample that ends with the last epoch", "[driver][curves]") {
  for (const std::int64_t last : {65, 66, 127, 128, 129, 1000, 100'000}) {
    const Values values = counted_to(last).values();
    INFO(last);
    CHECK(values.size() <= Curve::kMost + 1);
    CHECK(values.size() > Curve::kMost / 2);
    CHECK(values.front() == 1);
    CHECK(values.back() == double(last));
    for (std::size_t i = 2; i + 1 < values.size(); ++i) CHECK(values[i] - values[i - 1] == values[1] - values[0]);
  }
}

TEST_CASE("a retry that repeats epochs adds nothing to a curve", "[driver][curves]") {
  Curve curve = counted_to(3);
  curve.add_value(1, 10);
  curve.add_value(4, 4);
  CHECK(curve.values() == Values{1, 2, 3, 4});
  CHECK(curve.epoch() == 4);
}

TEST_CASE("curves are of the objective, by member, until the trial ends", "[driver][curves]") {
  Curves curves("val");
  const trial::TrialId first(0), second(1);
  curves.add_report({first}, {1, {{"train", 9}, {"val", 0.5}}});
  curves.add_report({first, 1}, {1, {{"val", 0.7}}});
  curves.add_report({second}, {1, {{"val", 0.9}}});
  curves.add_report({second, 1}, {1, {{"train", 9}}});
  REQUIRE(curves.find({first, 1}));
  CHECK(curves.find({first, 1})->values() == Values{0.7});
  CHECK_FALSE(curves.find({second, 1}));
  curves.forget(first);
  CHECK_FALSE(curves.find({first}));
  CHECK_FALSE(curves.find({first, 1}));
  CHECK(curves.find({second}));
}

TEST_CASE("epochs of all members are counted, each once", "[driver][tally]") {
  const support::TempFolder folder;
  spec::StudySpec spec = support::small_spec(folder);
  spec.rules.members = {.replicates = 2};
  const study::Study study = support::study_of(spec);
  Tally tally;
  tally.count(study);
  tally.advance({trial::TrialId(0), 0}, 3);
  tally.advance({trial::TrialId(0), 1}, 2);
  tally.advance({trial::TrialId(0), 1}, 1);
  tally.advance({trial::TrialId(2), 1}, 1);
  CHECK(tally.epochs() == 6);
}

}  // namespace curves_test
