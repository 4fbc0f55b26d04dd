// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <numeric>

#include <ATen/ATen.h>

#include "data/batches.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"

namespace data_test {

using namespace dlrun;

namespace {

/// 11 examples of 2 inputs; inputs and labels tell their row.
dataset::Dataset eleven(std::vector<std::int64_t> train) {
  dataset::Dataset d;
  d.schema.inputs = {{"x", {2}}};
  d.schema.classes = 3;
  std::vector<float> inputs;
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 11; ++i) {
    inputs.insert(inputs.end(), {float(i), float(-i)});
    labels.push_back(i % 3);
  }
  d.inputs = {dataset::Array::of(std::move(inputs), 2)};
  d.targets = dataset::Array::of(std::move(labels));
  d.train = std::move(train);
  d.val = {10, 8};
  return d;
}

std::vector<std::int64_t> rows_seen(data::Batches& batches, std::int64_t epoch) {
  std::vector<std::int64_t> rows;
  batches.begin_epoch(epoch);
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    const data::Examples batch = batches.batch(i);
    for (std::int64_t k = 0; k < batch.size(); ++k) rows.push_back(std::int64_t(batch.inputs[0][k][0].item<float>()));
  }
  return rows;
}

}  // namespace

TEST_CASE("an epoch shows every training example once, with its own label", "[data]") {
  const data::Data data(eleven({0, 1, 2, 3, 4, 5, 6, 7, 9}));
  data::Batches batches(data, 4, 7, 0);
  batches.begin_epoch(1);
  CHECK(batches.count() == 2);  // 4 + 4; the ninth would be alone
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    const data::Examples batch = batches.batch(i);
    for (std::int64_t k = 0; k < batch.size(); ++k) {
      const auto row = std::int64_t(batch.inputs[0][k][0].item<float>());
      CHECK(batch.inputs[0][k][1].item<float>() == float(-row));
      CHECK(batch.targets[k].item<std::int64_t>() == row % 3);
    }
  }
  data::Batches by_three(data, 3, 7, 0);
  std::vector<std::int64_t> rows = rows_seen(by_three, 1);
  std::sort(rows.begin(), rows.end());
  CHECK(rows == data.train_rows());
}

TEST_CASE("classes are counted in the training split alone", "[data]") {
  CHECK(data::Data(eleven({0, 1, 3, 9})).class_counts() == std::vector<std::int64_t>{3, 1, 0});
}

TEST_CASE("the order is a function of seed, replicate and epoch", "[data]") {
  const data::Data data(eleven({0, 1, 2, 3, 4, 5, 6, 7, 9, 10}));
  data::Batches a(data, 4, 7, 0), b(data, 4, 7, 0), other_seed(data, 4, 8, 0), other_replicate(data, 4, 7, 1);
  rows_seen(a, 1);
  const std::vector<std::int64_t> third = rows_seen(a, 3);
  CHECK(third == rows_seen(b, 3));
  CHECK(third != rows_seen(b, 2));
  CHECK(third != rows_seen(other_seed, 3));
  CHECK(third != rows_seen(other_replicate, 3));
}

TEST_CASE("an order has every row once", "[data]") {
  std::vector<std::int64_t> order = data::epoch_order(7, 0, 1, 1000);
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  std::vector<std::int64_t> all(1000);
  std::iota(all.begin(), all.end(), 0);
  CHECK(order == all);
}

TEST_CASE("the smaller last batch is used, one alone is left out", "[data]") {
  const data::Data data(eleven({0, 1, 2, 3, 4, 5, 6, 7, 9, 10}));
  CHECK(data::Batches(data, 4, 7, 0).count() == 3);
  CHECK(data::Batches(data, 3, 7, 0).count() == 3);
  CHECK(data::Batches(data, 64, 7, 0).count() == 1);
  CHECK(data::Batches(data, 1, 7, 0).count() == 10);
}

TEST_CASE("splits keep their order and lie side by side", "[data]") {
  const data::Data data(eleven({0, 1}));
  REQUIRE(data.val().size() == 2);
  CHECK(data.val().part(0, 2).inputs[0][0][0].item<float>() == 10);
  CHECK(data.val().part(0, 2).targets[1].item<std::int64_t>() == 8 % 3);
  CHECK(data.test().size() == 0);
  CHECK(data.size() == 11);
}

TEST_CASE("an empty training split is an error", "[data]") {
  const data::Data data(eleven({}));
  CHECK_THROWS_WITH(data::Batches(data, 4, 7, 0), "the training split is empty");
}

TEST_CASE("a data set is loaded once for all trials that use it", "[data]") {
  const Json digits = {{"op", "csv"},
                       {"path", DLRUN_SOURCE_DIR "/examples/digits/data/digits.csv.gz"},
                       {"header", false},
                       {"target", -1}};
  const auto first = data::load_shared(digits, 7), second = data::load_shared(digits, 7);
  CHECK(first == second);
  CHECK(data::load_shared(digits, 8) != first);
  CHECK(first->schema().input() == std::vector<std::int64_t>{64});
  CHECK(first->size() == 1797);
}

}  // namespace data_test
