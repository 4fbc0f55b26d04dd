// SPDX-License-Identifier: Apache-2.0
#include "recipe/schedule.hpp"
#include "support/catch.hpp"

namespace schedule_test {

using namespace dlrun;
using namespace dlrun::recipe;

TEST_CASE("schedules span the whole trial", "[recipe][schedule]") {
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
  SECTION("warm-up begins with a share of it") {  // ten steps; after five of them half of the way is done
    const auto warm = [](const char* shape, double from) {
      return ScheduleConfig{.warmup = 2, .warmup_shape = shape, .warmup_from = from};
    };
    CHECK(lr(warm("linear", 0.2), 0) == Approx(0.8 * 0.28));
    CHECK(lr(warm("linear", 0.2), 4) == Approx(0.8 * 0.6));
    CHECK(lr(warm("exponential", 0.01), 4) == Approx(0.8 * 0.1));
    CHECK(lr(warm("exponential", 0.01), 9) == Approx(0.8));
    CHECK(lr(warm("constant", 0.25), 9) == Approx(0.8 * 0.25));
    CHECK(lr(warm("constant", 0.25), 10) == Approx(0.8));
  }
  SECTION("a polynomial ends at min_lr") {
    const ScheduleConfig square{.op = "polynomial", .min_lr = 0.2, .power = 2};
    CHECK(lr(square, 0) == Approx(0.8));
    CHECK(lr(square, 25) == Approx(0.35));  // 0.2 + 0.6 / 4
    CHECK(lr(square, 50) == Approx(0.2));
  }
  SECTION("epochs of warm-up count for later drops") {
    const ScheduleConfig late{.op = "step", .every = 3, .gamma = 0.5, .warmup = 2};
    CHECK(lr(late, 14) == Approx(0.8));
    CHECK(lr(late, 15) == Approx(0.4));
  }
}

// A donor of 20 epochs stopped after 5: its rates go on, drawn out over 10 epochs of 4 steps.
TEST_CASE("the rest of a schedule spans the training", "[recipe][schedule]") {
  const auto rest_of = [](const ScheduleConfig& c) {
    Schedule rest(c, 0.8, 10, 4);
    rest.begin_at(0.25);
    return rest;
  };
  SECTION("smooth curves, without and with a warm-up that is over") {
    for (const double warmup : {0.0, 1.0}) {
      const Schedule donor({.op = "cosine", .warmup = 2 * warmup}, 0.8, 20, 4);
      const Schedule rest = rest_of({.op = "cosine", .warmup = warmup});  // the donor's, half as long
      CHECK(rest.lr(0) == Approx(donor.lr(20)));
      CHECK(rest.lr(20) == Approx(donor.lr(50)));
      CHECK(rest.lr(40) == Approx(0).margin(1e-12));
    }
  }
  SECTION("drops come in proportion") {  // of a curve of 10 epochs: after 4 and 8 of them, of which 2.5 are over
    const Schedule rest = rest_of({.op = "multi_step", .milestones = {4, 8}, .gamma = 0.5});
    CHECK(rest.lr(0) == 0.8);
    CHECK(rest.lr(7) == 0.8);
    CHECK(rest.lr(8) == Approx(0.4));   // 10 + 8 * 0.75 = 16 steps of the curve
    CHECK(rest.lr(29) == Approx(0.4));  // 31.75
    CHECK(rest.lr(30) == Approx(0.2));
  }
  SECTION("there is no second warm-up") { CHECK(rest_of({.warmup = 5}).lr(0) == 0.8); }
  SECTION("parts of a sequence") {
    ScheduleConfig first{.op = "constant"}, then{.op = "cosine"}, all{.op = "sequence"};
    first.epochs = 4;
    all.parts = {first, then};
    const Schedule rest = rest_of(all);
    CHECK(rest.lr(7) == 0.8);
    CHECK(rest.lr(24) == Approx(0.4));  // 28 of the curve's steps, in the middle of 16 to 40
  }
  SECTION("whole curves leave their end") {
    Schedule over({.op = "linear"}, 0.8, 10, 4);
    over.begin_at(1);
    CHECK(over.lr(0) == Approx(0).margin(1e-12));
  }
}

}  // namespace schedule_test
