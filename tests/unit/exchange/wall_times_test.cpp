// SPDX-License-Identifier: Apache-2.0
// Times of epochs, by hand.
#include "exchange/wall_times.hpp"

#include "exchange/study_source.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace wall_times_test {

using namespace dlrun;
using namespace dlrun::exchange;

namespace {

/// Two pieces of 2 and 4 epochs; the second was tried twice.
std::vector<Span> spans() {
  return {{.from_step = 0, .to_step = 2, .attempt = 1, .started = 1000, .finished = 3000},
          {.from_step = 2, .to_step = 6, .attempt = 1, .started = 5000, .finished = 6000},
          {.from_step = 2, .to_step = 6, .attempt = 2, .started = 10000, .finished = 14000}};
}

}  // namespace

TEST_CASE("epochs of an attempt are equally long", "[exchange][time]") {
  const auto time = [](std::int64_t step, std::int64_t attempt) { return time_of(spans(), {0, 0, step, attempt}, 7); };
  CHECK(time(1, 1) == 2000);
  CHECK(time(2, 1) == 3000);
  CHECK(time(3, 1) == 5250);
  CHECK(time(3, 2) == 11000);
  CHECK(time(6, 2) == 14000);
  CHECK(time(8, 2) == 14000);
  CHECK(time_of(spans(), {1, 0, 1, 1}, 7) == 7);
}

TEST_CASE("a study is read with its times", "[exchange][source]") {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), support::sample_row(), {});
  for (std::int64_t i = 0; i < 3; ++i) support::write_trial(*store, i, 0.5 + double(i));
  const StudySource source(folder.path(), "sample");
  CHECK(source.metrics() == std::vector<std::string>{"val.accuracy"});
  CHECK(source.objectives() == std::vector<std::string>{"val.accuracy"});
  CHECK(source.created() == 1795168800000);  // date -d 2026-11-20T10:00:00Z +%s
  std::vector<double> values;
  source.for_each_trial([&](const Trial& trial) {
    REQUIRE(trial.points.size() == 1);
    CHECK(trial.points[0].time >= *trial.started);
    CHECK(trial.points[0].time <= *trial.finished);
    values.push_back(trial.points[0].value);
  });
  CHECK(values == std::vector<double>{0.5, 1.5, 2.5});
}

TEST_CASE("means are over the members that have a value", "[exchange][source]") {
  const std::vector<Point> points = {{{0, 0}, 1, 0, 1.0, 10}, {{0, 0}, 2, 0, 2.0, 20}, {{1, 0}, 1, 0, 4.0, 15}};
  const std::vector<Point> means = mean_points(points);
  REQUIRE(means.size() == 2);
  CHECK(means[0].value == 2.5);
  CHECK(means[0].time == 15);
  CHECK(means[1].value == 2.0);
}

TEST_CASE("a member has an objective and an epoch of its own, and no mean of further objectives",
          "[exchange][source]") {
  Trial trial;
  trial.objective = 0.5;
  trial.objective_step = 3;
  trial.further = {Json(7.0)};
  trial.members[{0, 1}] = {{0.25}, 9};
  CHECK(scores_of(trial).values == std::vector<Json>{0.5, 7.0});
  CHECK(scores_of(trial).step == 3);
  CHECK(scores_of(trial, {0, 1}).values == std::vector<Json>{0.25});
  CHECK(scores_of(trial, {0, 1}).step == 9);
  CHECK(scores_of(trial, {1, 0}).values.empty());
}

}  // namespace wall_times_test
