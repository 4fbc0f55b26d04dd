// SPDX-License-Identifier: Apache-2.0
#include "recipe/length.hpp"
#include "recipe/schedule.hpp"
#include "support/catch.hpp"

namespace length_test {

using namespace dlrun;
using namespace dlrun::recipe;

namespace {

/// The schedule of 40 epochs in a training of `epochs`.
Json schedule_of(const Json& schedule, std::int64_t epochs) {
  return lasting({{"epochs", 40}, {"schedule", schedule}}, epochs).at("schedule");
}

}  // namespace

TEST_CASE("lengths in epochs change in proportion", "[recipe][length]") {
  CHECK(schedule_of({{"op", "step"}, {"every", 12}, {"gamma", 0.1}}, 10) ==
        Json{{"op", "step"}, {"every", 3}, {"gamma", 0.1}});
  CHECK(schedule_of({{"op", "cosine_restarts"}, {"period", 8}, {"mult", 2}, {"warmup", 2.0}}, 10) ==
        Json{{"op", "cosine_restarts"}, {"period", 2}, {"mult", 2}, {"warmup", 0.5}});
  CHECK(schedule_of({{"op", "plateau"}, {"patience", 11}, {"cooldown", 0}}, 10) ==
        Json{{"op", "plateau"}, {"patience", 2}, {"cooldown", 0}});
  const Json trial = lasting({{"epochs", 40},
                              {"swa", {{"start", 0.75}, {"every", 4}, {"anneal_epochs", 6}}},
                              {"stop", {{"patience", 3}, {"min_delta", 0.5}}},
                              {"batch_size", 32}},
                             10);
  CHECK(trial == Json{{"epochs", 10},
                      {"swa", {{"start", 0.75}, {"every", 1}, {"anneal_epochs", 2}}},
                      {"stop", {{"patience", 1}, {"min_delta", 0.5}}},
                      {"batch_size", 32}});
}

TEST_CASE("what falls each epoch falls faster in fewer of them", "[recipe][length]") {
  const double gamma = schedule_of({{"op", "exponential"}, {"gamma", 0.9}}, 10).at("gamma").get<double>();
  CHECK(gamma == Approx(0.9 * 0.9 * 0.9 * 0.9));
}

// A study is written without what stands at its default.
TEST_CASE("lengths that are not written change too", "[recipe][length]") {
  CHECK(schedule_of("exponential", 10).at("gamma").get<double>() == Approx(0.95 * 0.95 * 0.95 * 0.95));
  CHECK(schedule_of({{"op", "step"}, {"gamma", 0.5}}, 12) == Json{{"op", "step"}, {"every", 3}, {"gamma", 0.5}});
  CHECK(schedule_of({{"op", "plateau"}}, 12).at("patience") == 3);
  CHECK(schedule_of({{"op", "cosine_restarts"}}, 12).at("period") == 3);
  CHECK(schedule_of(Json::array({{{"op", "linear"}, {"epochs", 20}}, "step"}), 20).at("parts") ==
        Json{{{"op", "linear"}, {"epochs", 10}}, {{"op", "step"}, {"every", 5}}});
  const Json trial = lasting({{"epochs", 40}, {"swa", {{"start", 0.75}, {"lr", 0.01}}}}, 12);
  CHECK(trial.at("swa").at("anneal_epochs") == 3);
  CHECK_FALSE(trial.contains("schedule"));
}

TEST_CASE("drops stay apart and within the training", "[recipe][length]") {
  const auto milestones = [](const Json& all, std::int64_t epochs) {
    return schedule_of({{"op", "multi_step"}, {"milestones", all}}, epochs).at("milestones");
  };
  CHECK(milestones({12, 24, 36}, 10) == Json({3, 6, 9}));
  CHECK(milestones({1, 2, 39}, 10) == Json({1, 2, 9}));
  CHECK(milestones({36, 38, 39}, 10) == Json({7, 8, 9}));
  CHECK(milestones({10, 30}, 80) == Json({20, 60}));
  CHECK(milestones({10, 20, 30}, 2) == Json({1}));  // the others would not come
}

TEST_CASE("a shorter training averages two epochs at least", "[recipe][length]") {
  const auto swa = [](const Json& section, std::int64_t epochs) {
    return lasting({{"epochs", 16}, {"swa", section}}, epochs).value("swa", Json());
  };
  CHECK(swa({{"start", 0.75}}, 8) == Json{{"start", 0.75}});  // without a rate there is no way to it
  CHECK(swa({{"start", 0.75}}, 4) == Json{{"start", 0.5}});
  CHECK(swa({{"start", 0.5}, {"every", 7}}, 4) == Json{{"start", 0.5}, {"every", 1}});
  CHECK(swa({{"start", 0.75}, {"lr", 0.01}}, 4) ==
        Json{{"start", 0.5}, {"every", 1}, {"lr", 0.01}, {"anneal_epochs", 3}});
  CHECK(swa({{"start", 0.75}}, 2) == Json{{"start", 0.0}});
  CHECK(swa({{"start", 0.75}}, 1).is_null());
}

TEST_CASE("a patience that would not run out is left out", "[recipe][length]") {
  CHECK_FALSE(lasting({{"epochs", 10}, {"schedule", "plateau"}}, 3).at("schedule").contains("patience"));
  CHECK_FALSE(lasting({{"epochs", 10}, {"stop", {{"patience", 2}, {"min_delta", 0.1}}}}, 1).contains("stop"));
}

TEST_CASE("partitions begin, and change, earlier in a shorter training", "[recipe][length]") {
  const auto partition = [](std::int64_t epochs) {
    const Json written{{"policy", "stripes"},
                       {"importance", {{"aggregate", "mean"}, {"ignore_epochs", 5}}},
                       {"warmup_epochs", 10},
                       {"interval_epochs", 5}};
    return lasting({{"epochs", 24}, {"data", {{"op", "csv"}, {"partition", written}}}}, epochs)
        .at("data")
        .at("partition");
  };
  const Json half = partition(12), tenth = partition(2);
  CHECK(half.at("warmup_epochs") == 5);
  CHECK(half.at("interval_epochs") == 3);
  CHECK(half.at("importance").at("ignore_epochs") == 2);
  CHECK(tenth.at("warmup_epochs") == 1);
  CHECK(tenth.at("importance").at("ignore_epochs") == 0);
}

TEST_CASE("points of a curve are no part of a shorter training", "[recipe][length]") {
  CHECK_FALSE(lasting({{"epochs", 10}, {"log", {{"every", 200}}}}, 3).contains("log"));
}

TEST_CASE("parts of a sequence fill the training as before", "[recipe][length]") {
  const Json parts{{{"op", "linear"}, {"epochs", 5}},
                   {{"op", "multi_step"}, {"milestones", {10}}, {"epochs", 15}},
                   {{"op", "step"}, {"every", 10}}};
  CHECK(schedule_of({{"op", "sequence"}, {"parts", parts}}, 16).at("parts") ==
        Json{{{"op", "linear"}, {"epochs", 2}},
             {{"op", "multi_step"}, {"milestones", {4}}, {"epochs", 6}},
             {{"op", "step"}, {"every", 4}}});
  const Json all{{{"op", "constant"}, {"epochs", 39}}, {{"op", "constant"}, {"epochs", 1}}};
  CHECK(schedule_of({{"op", "sequence"}, {"parts", all}}, 10).at("parts") ==
        Json{{{"op", "constant"}, {"epochs", 9}}, {{"op", "constant"}, {"epochs", 1}}});
}

TEST_CASE("a training of the same length stays as it is, and one without a schedule has none", "[recipe][length]") {
  const Json trial{{"epochs", 40}, {"schedule", {{"op", "exponential"}, {"gamma", 0.9}}}};
  CHECK(lasting(trial, 40) == trial);
  CHECK(lasting({{"epochs", 8}, {"stop", nullptr}}, 2) == Json{{"epochs", 2}, {"stop", nullptr}});
}

}  // namespace length_test
