// SPDX-License-Identifier: Apache-2.0
#include "driver/outage.hpp"

#include "driver/crowded.hpp"
#include "support/catch.hpp"

namespace outage_test {

using namespace dlrun;
using namespace dlrun::driver;

namespace {

trial::PieceKey piece(std::int64_t trial) { return {{trial::TrialId(trial), 0, 0}, 0}; }

}  // namespace

TEST_CASE("what a machine lacks is told once until something succeeds", "[driver][outage]") {
  Outage outage;
  CHECK_FALSE(outage.has_begun());
  CHECK(outage.lost(piece(1), "disk full"));
  CHECK_FALSE(outage.lost(piece(2), "disk full"));
  CHECK(outage.has_begun());
  outage.succeeded();
  CHECK_FALSE(outage.has_begun());
  CHECK(outage.lost(piece(2), "no descriptor"));
  CHECK(outage.message() == "no descriptor");
}

TEST_CASE("the reason that a worker gave outlives the bare end of another", "[driver][outage]") {
  Outage outage;
  outage.explain("no library");
  outage.lost(piece(1), "no library");
  outage.lost(piece(2), "the worker ended with exit code 75");
  CHECK(outage.message() == "no library");
  outage.succeeded();
  outage.lost(piece(2), "the worker ended with exit code 75");
  CHECK(outage.message() == "the worker ended with exit code 75");
}

TEST_CASE("nothing can go on when a piece was lost three times and nothing else runs", "[driver][outage]") {
  Outage outage;
  outage.lost(piece(1), "");
  outage.lost(piece(1), "");
  CHECK_FALSE(outage.is_general({}));
  outage.lost(piece(1), "");
  CHECK(outage.is_general({}));
  CHECK(outage.is_general({piece(1)}));
  CHECK_FALSE(outage.is_general({piece(1), piece(2)}));  // the second may succeed
  outage.lost(piece(2), "");
  CHECK(outage.is_general({piece(1), piece(2)}));
}

TEST_CASE("a piece without memory is excused once, where others may have taken it", "[driver][outage]") {
  Crowded crowded;
  CHECK_FALSE(crowded.excuses(piece(1), "a", {}));
  CHECK_FALSE(crowded.excuses(piece(1), "a", {.used = 200, .limit = 100}));
  CHECK_FALSE(crowded.excuses(piece(1), "a", {.used = 50, .limit = 0}));
  CHECK(crowded.excuses(piece(2), "a", {.limit = 100}));
  CHECK(crowded.host_of(piece(1)).empty());
  CHECK(crowded.excuses(piece(1), "a", {.used = 50, .limit = 100}));
  CHECK(crowded.host_of(piece(1)) == "a");
  CHECK_FALSE(crowded.excuses(piece(1), "a", {.had_company = true}));
  crowded.forget(piece(1));
  CHECK(crowded.excuses(piece(1), "b", {.had_company = true}));
}

}  // namespace outage_test
