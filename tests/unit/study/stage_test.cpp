// SPDX-License-Identifier: Apache-2.0
// Stages of a study, and the requests that wait in its agenda.
#include "study/stage.hpp"

#include "study/agenda.hpp"
#include "support/catch.hpp"

namespace stage_test {

using namespace dlrun;
using namespace dlrun::study;
using trial::TrialId;

TEST_CASE("a search ends, with or without tests after it", "[study][stage]") {
  Stage stage;
  CHECK(stage.is_searching());
  SECTION("without") {
    stage.end_search("limit of 3 trials", false);
    CHECK(stage.is_over());
  }
  SECTION("with") {
    stage.end_search("limit of 3 trials", true);
    CHECK(stage.is_testing());
    stage.end_tests();
    CHECK(stage.is_over());
  }
  CHECK(stage.reason() == "limit of 3 trials");
  stage.stop("too late");
  CHECK_FALSE(stage.is_stopped());
  stage.reopen();
  CHECK(stage.is_searching());
  CHECK(stage.reason().empty());
}

TEST_CASE("a stopped search keeps its first reason until it is resumed", "[study][stage]") {
  Stage stage;
  stage.stop("a person");
  stage.stop("limits.wall");
  stage.reopen();  // more to do does not resume it
  CHECK(stage.is_stopped());
  CHECK(stage.reason() == "a person");
  stage.resume();
  CHECK_FALSE(stage.is_stopped());
  CHECK(stage.reason().empty());
}

TEST_CASE("an agenda begins with the points of the spec, and widens them", "[study][agenda]") {
  Agenda agenda({{1.0}, {2.0}});
  CHECK(agenda.has_point({2.0}));
  CHECK_FALSE(agenda.has_point({3.0}));
  agenda.widen(2);
  CHECK(agenda.has_point({2.0, std::monostate{}}));
  agenda.widen(1);  // never narrower
  CHECK(agenda.points.front().size() == 2);
}

TEST_CASE("an agenda knows which trials a person wants retried", "[study][agenda]") {
  Agenda agenda;
  CHECK(agenda.points.empty());
  agenda.retries.push_back(TrialId(3));
  CHECK(agenda.has_retry(TrialId(3)));
  CHECK_FALSE(agenda.has_retry(TrialId(4)));
}

}  // namespace stage_test
