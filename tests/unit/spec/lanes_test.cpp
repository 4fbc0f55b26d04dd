// SPDX-License-Identifier: Apache-2.0
// Lanes that a study leaves open, by the workers that it is created with.
#include "spec/lanes.hpp"

#include "unit/spec/study_file.hpp"

namespace lanes_test {

using namespace dlrun;
using namespace dlrun::spec;

TEST_CASE("there is a lane for each worker, and for no more than can have work", "[spec][lanes]") {
  const StudySpec spec = StudyFile(kBranin).read({"limits.trials=6"});
  CHECK(has_auto_lanes(spec.json));
  CHECK(lanes_for(1, spec) == 1);
  CHECK(lanes_for(4, spec) == 4);
  CHECK(lanes_for(64, spec) == 6);
  const StudySpec members =
      StudyFile(kBranin).read({"limits.trials=1", "trial.replicates=10", "trial.function={op: branin, noise: 0.1}"});
  CHECK(lanes_for(4, members) == 10);  // replicates of one trial, on any machine
  CHECK(lanes_for(64, members) == 10);
}

TEST_CASE("a number takes the place of `auto` in the normal form", "[spec][lanes]") {
  const StudySpec open = StudyFile(kBranin).read();
  const StudySpec known = with_lanes(open, 3);
  CHECK(known.rules.lanes == 3);
  CHECK_FALSE(has_auto_lanes(known.json));
  CHECK(known.hash == StudyFile(kBranin).read({"search.lanes=3"}).hash);
  CHECK(known.hash != open.hash);
}

}  // namespace lanes_test
