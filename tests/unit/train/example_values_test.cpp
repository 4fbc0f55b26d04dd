// SPDX-License-Identifier: Apache-2.0
// One number for each validation example, whose mean is the metric that was measured.
#include "train/example_values.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <numeric>

#include "recipe/metric_kinds.hpp"
#include "trial/artifacts.hpp"
#include "unit/train/support.hpp"
#include "unit/train/walk_cases.hpp"

namespace example_values_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

double mean_of(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

/// Sums of one example of so many labels.
SplitSums example_of(const std::vector<float>& logits, const std::vector<std::int64_t>& labels,
                     Measured loss = {0, 1}) {
  const auto count = std::int64_t(labels.size()), classes = std::int64_t(logits.size()) / count;
  OutputConfig output;
  output.metrics = {"accuracy"};
  dataset::Schema data;
  data.classes = classes;
  SplitSums sums({output}, data, false);
  sums.of(0).add_batch(loss, at::tensor(logits).reshape({1, count, classes}), at::tensor(labels).reshape({1, count}));
  return sums;
}

/// Every validation metric of a report, from single examples.
void check_means(Training& training) {
  for (const trial::Metric& metric : training.state().reports.back().metrics) {
    if (!recipe::has_example_values(metric.name)) continue;
    const tensors::RowValues each = training.values_of_val(metric.name, [] {});
    INFO(metric.name);
    CHECK(each.metric == metric.name);
    CHECK(each.epoch == training.state().epoch);
    CHECK(each.rows == training.data().val_rows());
    const double mean = mean_of(each.values);
    if (metric.name.ends_with("auc") && std::isnan(mean)) continue;  // a class has a single example
    CHECK(mean == Approx(metric.value).epsilon(1e-6));
  }
}

tensors::RowValues published(const Fixture& fixture, const trial::PieceResult& result) {
  return tensors::read_row_values(fetch(fixture.setup.artifacts, artifact(result, trial::kValues)), "values");
}

/// Means of the values that a run of the digits leaves and of its report of their epoch.
void check_published(const Fixture& fixture, const trial::PieceResult& result, std::int64_t epoch) {
  const tensors::RowValues found = published(fixture, result);
  CHECK(found.epoch == epoch);
  CHECK(found.rows.size() == 269);  // rows 1258 to 1526 of 1797 digits in drawn order
  CHECK(mean_of(found.values) == Approx(metric(result.reports.at(std::size_t(epoch - 1)), found.metric)).epsilon(1e-6));
}

}  // namespace

TEST_CASE("a hit is 1, a miss 0", "[train][values]") {
  ExampleValues each("accuracy");
  each.add(example_of({2, 1, 0}, {0}));
  each.add(example_of({2, 1, 0}, {1}));
  each.add(example_of({0, 1, 5}, {2}));
  CHECK(each.values() == std::vector<float>{1, 0, 1});
}

// Two labels right of two, none of one: M = 2/3, W = 3, n = 2. 2/3 + 2 * 2/3 * 1/3 = 10/9, 2/3 - 2 * 1/3 * 2/3 = 2/9.
TEST_CASE("examples of several labels weigh by their number", "[train][values]") {
  ExampleValues each("accuracy");
  each.add(example_of({2, 1, 1, 2}, {0, 1}));
  each.add(example_of({2, 1, 0, 0}, {1, kIgnored}));
  const std::vector<float> values = each.values();
  CHECK(values[0] == Approx(10.0 / 9));
  CHECK(values[1] == Approx(2.0 / 9));
}

// Losses 4 and 1 of weights 1 and 3: M = 7/4, 7/4 + 1/2 * 9/4 = 23/8, 7/4 - 3/2 * 3/4 = 5/8.
TEST_CASE("examples of heavier classes weigh more in the loss", "[train][values]") {
  ExampleValues each("loss");
  each.add(example_of({0, 0}, {0}, {4, 1}));
  each.add(example_of({0, 0}, {1}, {1, 3}));
  CHECK(each.values() == std::vector<float>{2.875f, 0.625f});
}

TEST_CASE("the values of every loss and metric have the reported mean", "[train][values]") {
  std::vector<Walk> walks = loss_walks();
  for (Walk& walk : output_walks()) walks.push_back(std::move(walk));
  for (const char* average : {R"({"ema": {"decay": 0.9}})", R"({"swa": {"start": 0.5}})"}) {
    walks.push_back(loss_walks().front());
    walks.back().trial.update(parse_json(average, "average"));
  }
  for (const Walk& walk : walks) {
    INFO(walk.name << walk.trial);
    const std::unique_ptr<Training> training = begin(walk);
    finish(*training);
    check_means(*training);
  }
}

TEST_CASE("a run leaves the values of the epoch that counts", "[train][values]") {
  Fixture fixture;
  fixture.setup.values = GENERATE("val.accuracy", "val.loss");
  fixture.setup.keep_best = GENERATE(true, false);
  fixture.setup.metric = "val.loss";
  fixture.setup.maximize = true;  // the first epoch has the greatest loss
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  check_published(fixture, whole, fixture.setup.keep_best ? 1 : 4);

  trial::PieceOrder rest = fixture.order(2, 4, "a2");
  rest.resume = artifact(fixture.run(fixture.order(0, 2)), "last");
  CHECK(artifact(fixture.run(rest), trial::kValues) == artifact(whole, trial::kValues));
}

TEST_CASE("ranks that train together leave the values of their common model", "[train][values][ranks]") {
  Json trial = digits_trial();
  trial["parallel"] = {{"op", GENERATE("bsp", "asp")}, {"ranks", 3}};
  trial["epochs"] = 2;
  Fixture fixture(trial);
  fixture.setup.values = "val.accuracy";
  fixture.setup.keep_best = false;
  check_published(fixture, fixture.run(fixture.order(0, 2)), 2);
}

TEST_CASE("a run of which nothing is asked leaves no values", "[train][values]") {
  Fixture fixture;
  CHECK(artifact(fixture.run(fixture.order(0, 1)), trial::kValues) == "none");
}

}  // namespace example_values_test
