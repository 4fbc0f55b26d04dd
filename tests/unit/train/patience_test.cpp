// SPDX-License-Identifier: Apache-2.0
// Early stopping, epoch by epoch, against decisions worked out by hand.
#include "train/patience.hpp"

#include "support/catch.hpp"
#include "util/json.hpp"

namespace patience_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

std::vector<trial::Report> reports_of(const StopConfig& stop, const std::vector<double>& values) {
  std::vector<trial::Report> reports;
  for (const double value : values) reports.push_back({std::int64_t(reports.size()) + 1, {{stop.metric, value}}});
  return reports;
}

/// The epoch at which training stops, from 1; 0: it runs through all of the values.
std::int64_t stops_after(const StopConfig& stop, const std::vector<double>& values) {
  const std::vector<trial::Report> all = reports_of(stop, values);
  for (std::size_t epoch = 1; epoch <= all.size(); ++epoch) {
    if (is_exhausted(stop, {all.begin(), all.begin() + std::ptrdiff_t(epoch)})) return std::int64_t(epoch);
  }
  return 0;
}

StopConfig on_loss(std::int64_t patience, double min_delta = 0) { return {patience, min_delta, "val.loss", false}; }
StopConfig on_accuracy(std::int64_t patience, double min_delta = 0) {
  return {patience, min_delta, "val.accuracy", true};
}

StopConfig read(const char* stop) {
  dataset::Schema data;
  data.classes = 3;
  data.val = 10;
  const Json trial = {{"stop", parse_json(stop, "stop")}};
  return read_config(trial, data).stop.value();
}

}  // namespace

TEST_CASE("a loss that falls and an accuracy that rises go on, the opposite stops", "[train][patience]") {
  const std::vector<double> falling{1, 0.9, 0.8, 0.7}, rising{0.7, 0.8, 0.9, 1};
  CHECK(stops_after(on_loss(0), falling) == 0);
  CHECK(stops_after(on_loss(0), rising) == 2);
  CHECK(stops_after(on_accuracy(0), rising) == 0);
  CHECK(stops_after(on_accuracy(0), falling) == 2);
}

TEST_CASE("patience forgives as many epochs in a row, and progress begins the count anew", "[train][patience]") {
  const std::vector<double> losses{1, 1.1, 1.1, 0.9, 1, 1, 1, 0.5};
  CHECK(stops_after(on_loss(1), losses) == 3);
  CHECK(stops_after(on_loss(2), losses) == 7);  // two bad epochs, progress, three bad ones
  CHECK(stops_after(on_loss(3), losses) == 0);
}

TEST_CASE("progress is counted from the best value, not from the last", "[train][patience]") {
  CHECK(stops_after(on_loss(1), {1, 2, 1.5}) == 3);
  CHECK(stops_after(on_accuracy(1), {0.9, 0.5, 0.8}) == 3);
}

TEST_CASE("an equal value is no progress, nor is one that is better by min_delta alone", "[train][patience]") {
  CHECK(stops_after(on_loss(0), {1, 1}) == 2);
  CHECK(stops_after(on_accuracy(0), {1, 1}) == 2);
  CHECK(stops_after(on_loss(0, 0.25), {1, 0.75}) == 2);
  CHECK(stops_after(on_loss(0, 0.25), {1, 0.625}) == 0);
  CHECK(stops_after(on_accuracy(0, 0.25), {0.5, 0.75}) == 2);
  CHECK(stops_after(on_accuracy(0, 0.25), {0.5, 0.875}) == 0);
  CHECK(stops_after(on_loss(1, 0.25), {1, 0.875, 0.7}) == 0);  // small steps add up to progress
}

TEST_CASE("the direction follows from the metric", "[train][patience]") {
  CHECK_FALSE(read(R"({"patience": 1})").maximize);
  CHECK(read(R"({"patience": 1})").metric == "val.loss");
  CHECK_FALSE(read(R"({"patience": 1, "metric": "val.log_loss"})").maximize);
  CHECK(read(R"({"patience": 1, "metric": "val.accuracy"})").maximize);
}

}  // namespace patience_test
