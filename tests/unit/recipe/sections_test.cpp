// SPDX-License-Identifier: Apache-2.0
// Sections of schedule and averaging as the reader takes and rejects them.
#include "recipe/averaging.hpp"
#include "recipe/schedule_config.hpp"
#include "support/catch.hpp"

namespace recipe_sections_test {

using namespace dlrun;
using namespace dlrun::recipe;

namespace {

ScheduleConfig schedule(const Json& section, bool has_val = true) {
  return read_schedule({{"schedule", section}}, has_val);
}

std::optional<SwaConfig> swa(const Json& section, std::int64_t epochs = 10) {
  return read_swa({{"swa", section}}, epochs);
}

}  // namespace

TEST_CASE("a schedule has the defaults of its kind", "[recipe][schedule]") {
  CHECK(read_schedule(Json::object(), true).op == "constant");
  CHECK(schedule("step").gamma == 0.1);
  CHECK(schedule("exponential").gamma == 0.95);
  CHECK(schedule("plateau").metric == "val.loss");
  CHECK(schedule("plateau", false).metric == "train.loss");
  CHECK(schedule({{"op", "plateau"}, {"metric", "val.accuracy"}}).maximize);
}

TEST_CASE("a list is a sequence of schedules", "[recipe][schedule]") {
  const ScheduleConfig config = schedule({{{"op", "linear"}, {"epochs", 2}}, "cosine"});
  CHECK(config.op == "sequence");
  REQUIRE(config.parts.size() == 2);
  CHECK(config.parts[0].epochs == 2);
  CHECK(config.parts[1].op == "cosine");
}

TEST_CASE("a warm-up of no epochs has no shape", "[recipe][schedule]") {
  CHECK(to_json(schedule({{"warmup_shape", "constant"}, {"warmup_from", 0.5}})) == to_json(schedule("constant")));
  CHECK(schedule({{"warmup", 1}, {"warmup_from", 0.5}}).warmup_from == 0.5);
}

TEST_CASE("a schedule is rejected with its place", "[recipe][schedule]") {
  CHECK_THROWS_WITH(schedule("cosin"), "schedule.op: there is no 'cosin'");
  CHECK_THROWS_WITH(schedule({{"op", "step"}, {"gamma", 1.5}}), "schedule.gamma is 1.5, but must be in (0, 1]");
  CHECK_THROWS_WITH(schedule({{"op", "multi_step"}}), "schedule needs 'milestones'");
  CHECK_THROWS_WITH(schedule({{{"op", "linear"}}, "cosine"}),
                    "schedule.parts.0 needs its epochs; only the last may go without");
  CHECK_THROWS_WITH(schedule({{{"op", "plateau"}, {"epochs", 2}}}), "schedule.parts.0.op: there is no 'plateau'");
  CHECK_THROWS_WITH(schedule(Json::array()), "schedule.parts is [], but must be a list of schedules");
  CHECK_THROWS_WITH(schedule({{"warmup", 2}, {"warmup_shape", "constant"}}),
                    "schedule.warmup_from is null, but must be above 0 where warmup_shape is constant");
}

TEST_CASE("averages begin with a share of the epochs", "[recipe][swa]") {
  CHECK_FALSE(read_swa(Json::object(), 10));
  CHECK_FALSE(swa({{"every", 2}}));
  const auto plain = swa({{"start", 0.5}, {"anneal_epochs", 3}});
  REQUIRE(plain);
  CHECK(plain->when.before() == 5);
  CHECK(plain->anneal_epochs == 10);
  CHECK(swa({{"start", 0.5}, {"lr", 0.1}, {"anneal_epochs", 3}})->anneal_epochs == 3);
  CHECK_THROWS_WITH(swa({{"start", 0.95}}),
                    "swa.start is 0.95, but must be early enough for two epochs to be averaged");
  CHECK_THROWS_WITH(swa({{"start", 1}}), "swa.start is 1, but must be in [0, 1)");
}

}  // namespace recipe_sections_test
