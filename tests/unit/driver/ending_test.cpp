// SPDX-License-Identifier: Apache-2.0
// Why a run ends, and after how long it has to.
#include "driver/ending.hpp"

#include "driver/time_limits.hpp"
#include "support/catch.hpp"

namespace ending_test {

using namespace dlrun::driver;
using std::chrono::seconds;

TEST_CASE("the first reason for an end counts", "[driver][ending]") {
  Ending ending;
  CHECK_FALSE(ending.has_begun());
  ending.begin(Ending::By::time, "limit");
  ending.begin(Ending::By::signal, "interrupted");
  CHECK(ending.by() == Ending::By::time);
  CHECK(ending.reason() == "limit");
  CHECK_FALSE(ending.is_interrupted());
  CHECK_FALSE(ending.is_at_once());
}

TEST_CASE("a second signal ends a run at once, whatever began before", "[driver][ending]") {
  Ending ending;
  ending.begin(Ending::By::person, "stopped by request");
  ending.begin_at_once("interrupted");
  CHECK(ending.is_at_once());
  CHECK(ending.is_interrupted());
  CHECK(ending.reason() == "interrupted");
}

TEST_CASE("a run that hands its study over counts as interrupted", "[driver][ending]") {
  Ending ending;
  ending.begin(Ending::By::successor, "handed over to process 7");
  CHECK(ending.is_interrupted());
}

namespace {

const Clock::time_point kStart{std::chrono::hours(1)};

}  // namespace

TEST_CASE("the wall limit is of this run", "[driver][ending]") {
  TimeLimits limits(60, GpuBudget(std::nullopt, 1, 1e6), kStart);
  CHECK_FALSE(limits.passed(kStart + seconds(60)));
  CHECK(limits.passed(kStart + seconds(61)) == "limit of 60 seconds (limits.wall)");
  CHECK(limits.seconds_at(kStart + seconds(61)) == 61);
}

TEST_CASE("hours of GPUs pass with the workers that are busy", "[driver][ending]") {
  TimeLimits limits(0, GpuBudget(0.5, 1, 0), kStart);
  limits.count_busy(kStart + seconds(1000), 0);
  CHECK_FALSE(limits.passed(kStart + seconds(1000)));
  limits.count_busy(kStart + seconds(1899), 2);  // 1798 of 1800 seconds
  CHECK_FALSE(limits.passed(kStart + seconds(1899)));
  limits.count_busy(kStart + seconds(1901), 2);
  CHECK(limits.passed(kStart + seconds(1901)) == "limit of 0.5 hours of GPUs (limits.gpu_hours)");
}

}  // namespace ending_test
