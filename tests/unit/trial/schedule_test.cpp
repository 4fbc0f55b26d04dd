// SPDX-License-Identifier: Apache-2.0
#include "trial/schedule.hpp"
#include "support/catch.hpp"

namespace schedule_test {

using namespace dlrun;
using namespace dlrun::trial;

TEST_CASE("schedules span the whole trial", "[trial][schedule]") {
  const auto lr = [](const ScheduleConfig& c, std::int64_t step) { return Schedule(c, 0.8, 10, 5).lr(step); };
  SECTION("constant") {
    CHECK(lr({}, 0) == 0.8);
    CHECK(lr({}, 49) == 0.8);
  }
  SECTION("step falls at the begin of an epoch") {
    const ScheduleConfig step{.op = "step", .every = 3, .gamma = 0.5};
    CHECK(lr(step, 14) == 0.8);
    CHECK(lr(step, 15) == Approx(0.4));
    CHECK(lr(step, 30) == Approx(0.2));
  }
  SECTION("cosine falls from lr to min_lr") {
    const ScheduleConfig cosine{.op = "cosine", .min_lr = 0.2};
    CHECK(lr(cosine, 0) == Approx(0.8));
    CHECK(lr(cosine, 25) == Approx(0.5));
    CHECK(lr(cosine, 50) == Approx(0.2));
    CHECK(lr(cosine, 60) == Approx(0.2));
  }
  SECTION("warm-up rises to it") {
    const ScheduleConfig warm{.op = "cosine", .warmup = 2};
    CHECK(lr(warm, 0) == Approx(0.08));
    CHECK(lr(warm, 9) == Approx(0.8));
    CHECK(lr(warm, 10) == Approx(0.8));
    CHECK(lr(warm, 30) == Approx(0.4));
  }
}

}  // namespace schedule_test
