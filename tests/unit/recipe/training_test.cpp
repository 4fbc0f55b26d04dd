// SPDX-License-Identifier: Apache-2.0
#include "recipe/training.hpp"
#include "support/catch.hpp"

namespace recipe_training_test {

using namespace dlrun;
using namespace dlrun::recipe;

TEST_CASE("a training has the defaults of its keys", "[recipe][training]") {
  const TrainingConfig config = read_training(Json::object(), true);
  CHECK(config.epochs == 10);
  CHECK(config.span() == 10);
  CHECK(config.batch_size == 32);
  CHECK_FALSE(config.ema);
  CHECK_FALSE(config.stop);
  CHECK(config.log_every == 0);
}

TEST_CASE("patience is what stops a training", "[recipe][training]") {
  CHECK_FALSE(read_training({{"stop", {{"min_delta", 0.5}}}}, true).stop);
  const TrainingConfig config = read_training({{"stop", {{"patience", 3}}}}, true);
  REQUIRE(config.stop);
  CHECK(config.stop->metric == "val.loss");
  CHECK(read_training({{"stop", {{"patience", 3}}}}, false).stop->metric == "train.loss");
  CHECK(read_training({{"stop", {{"patience", 3}, {"metric", "val.accuracy"}}}}, true).stop->maximize);
}

TEST_CASE("settings of a training are read, and rejected with their place", "[recipe][training]") {
  const TrainingConfig config =
      read_training({{"ema", {{"decay", 0.9}}}, {"log", {{"every", 5}}}, {"horizon", 20}, {"clip_norm", 1}}, true);
  CHECK(config.ema == 0.9);
  CHECK(config.log_every == 5);
  CHECK(config.span() == 20);
  CHECK(config.clip_norm == 1.0);
  CHECK_THROWS_WITH(read_training({{"epochs", 0}}, true), "epochs is 0, but must be in [1, 1000000]");
  CHECK_THROWS_WITH(read_training({{"ema", {{"decay", 1}}}}, true), "ema.decay is 1, but must be in (0, 1)");
  CHECK_THROWS_WITH(read_training({{"precision", "fp8"}}, true), "precision: there is no 'fp8'");
}

}  // namespace recipe_training_test
