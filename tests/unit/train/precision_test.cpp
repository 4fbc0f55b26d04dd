// SPDX-License-Identifier: Apache-2.0
// Training in mixed precision: it learns, and wherever it is cut not one bit differs.
#include <cmath>
#include <limits>

#include <ATen/autocast_mode.h>

#include "support/catch.hpp"
#include "train/grad_scaler.hpp"
#include "train/safetensors.hpp"
#include "unit/train/support.hpp"
#include "util/error.hpp"

namespace precision_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

/// Whose first gradients overflow: the loss weighs so much that float16 cannot hold them at the first scale.
Json overflowing_trial() {
  Json trial = digits_trial();
  trial["precision"] = "fp16";
  trial["loss"] = {{"op", "sum"}, {"parts", {{{"op", "cross_entropy"}, {"weight", 4096}}}}};
  trial["optimizer"] = {{"op", "adam"}, {"lr", 0.01}};
  return trial;
}

trial::PieceResult in_pieces(Fixture& fixture, std::int64_t cut) {
  const trial::PieceResult first = fixture.run(fixture.order(0, cut));
  trial::PieceOrder order = fixture.order(cut, 4);
  order.resume = artifact(first, "last");
  return fixture.run(order);
}

Json state_of(const Fixture& fixture, const trial::PieceResult& result) {
  const SafeTensors file(fetch(fixture.setup.artifacts, artifact(result, "last")), "checkpoint");
  return parse_json(file.metadata().at("state"), "state");
}

}  // namespace

TEST_CASE("a step whose gradients are not finite halves the scale, 2000 good ones double it", "[train][precision]") {
  LossScale state;
  GradScaler scaler(state);
  float good[] = {65536, -32768, 0}, bad[] = {1, kInfinity, 1}, none[] = {1, 1, kNan};
  CHECK(scaler.unscale(good, 3));
  CHECK(good[0] == 1);
  CHECK(good[1] == -0.5f);
  CHECK_FALSE(scaler.unscale(bad, 3));
  CHECK_FALSE(scaler.unscale(none, 3));
  CHECK(scaler.update(false));
  CHECK(state.scale == 32768);
  for (int i = 0; i < 1999; ++i) CHECK(scaler.update(true));
  CHECK(state.scale == 32768);
  CHECK(state.good == 1999);
  SECTION("the last one doubles it") {
    CHECK(scaler.update(true));
    CHECK(state.scale == 65536);
    CHECK(state.good == 0);
  }
  SECTION("a bad one begins to count anew") {
    CHECK(scaler.update(false));
    CHECK(state.scale == 16384);
    CHECK(state.good == 0);
  }
}

TEST_CASE("a scale that only falls ends at last", "[train][precision]") {
  LossScale state;
  GradScaler scaler(state);
  int count = 0;
  while (scaler.update(false)) ++count;
  CHECK(count == 32);  // from 2^16 to 2^-16
}

TEST_CASE("the digits are learnt in every precision, in numbers of its own", "[train][precision]") {
  const std::string precision = GENERATE("bf16", "fp16");
  Json trial = digits_trial();
  Fixture whole(trial);
  trial["precision"] = precision;
  Fixture mixed(trial);
  const trial::PieceResult a = whole.run(whole.order(0, 4)), b = mixed.run(mixed.order(0, 4));
  REQUIRE(b.outcome == trial::Outcome::completed);
  CHECK(artifact(a, "last") != artifact(b, "last"));
  CHECK(metric(b.reports.back(), "val.accuracy") >= metric(a.reports.back(), "val.accuracy") - 0.05);
  CHECK(metric(b.reports.back(), "train.loss") == Approx(metric(a.reports.back(), "train.loss")).epsilon(0.05));
  CHECK(metric(b.reports.back(), "train.skipped_steps") == (precision == "fp16" ? 0 : -1));
  const SafeTensors file(fetch(mixed.setup.artifacts, artifact(b, "last")), "checkpoint");
  for (const TensorView& tensor : file.tensors()) CHECK((tensor.dtype == "F32" || tensor.dtype == "I64"));
  CHECK_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
}

TEST_CASE("mixed precision leaves the same bits in pieces and after a stop", "[train][precision][resume]") {
  Json trial = digits_trial();
  trial["precision"] = GENERATE("bf16", "fp16");
  trial["accumulate"] = GENERATE(1, 3);
  trial["ema"] = {{"decay", 0.9}};
  trial["clip_norm"] = 0.5;
  Fixture fixture(trial);
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  REQUIRE(whole.outcome == trial::Outcome::completed);
  CHECK(artifact(in_pieces(fixture, 1), "last") == artifact(whole, "last"));
  for (const std::int64_t steps : {7, 29}) {
    FakeHost first(steps), second;
    const std::string lost = "lost" + std::to_string(steps);
    CHECK_THROWS_AS(fixture.run(fixture.order(0, 4, lost), first), trial::Stopped);
    trial::PieceOrder order = fixture.order(0, 4, "again" + std::to_string(steps));
    order.partial = fixture.folder.make(lost);
    CHECK(artifact(fixture.run(order, second), "last") == artifact(whole, "last"));
  }
}

TEST_CASE("steps left out are counted, and the scaler goes on from a checkpoint", "[train][precision][resume]") {
  Fixture fixture(overflowing_trial());
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  REQUIRE(whole.outcome == trial::Outcome::completed);
  const double skipped = metric(whole.reports.back(), "train.skipped_steps");
  CHECK(skipped > 0);
  CHECK(skipped < 20);
  const Json state = state_of(fixture, whole);
  CHECK(state["skipped"] == skipped);
  CHECK(state["loss_scale"][0] == 65536 / std::pow(2, skipped));
  CHECK(artifact(in_pieces(fixture, 1), "last") == artifact(whole, "last"));
  FakeHost first(2), second;  // among the steps that are left out
  CHECK_THROWS_AS(fixture.run(fixture.order(0, 4, "lost"), first), trial::Stopped);
  trial::PieceOrder order = fixture.order(0, 4, "again");
  order.partial = fixture.folder.make("lost");
  CHECK(artifact(fixture.run(order, second), "last") == artifact(whole, "last"));
}

TEST_CASE("a step left out moves no weight and no average", "[train][precision]") {
  Json trial = overflowing_trial();
  trial["ema"] = {{"decay", 0.5}};
  trial["log"] = {{"every", 1}};
  trial["model"]["nodes"] = {{{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  Fixture fixture(trial);
  FakeHost host;
  fixture.run(fixture.order(0, 1), host);
  REQUIRE(host.curve.size() > 2);
  CHECK(metric(host.curve[0], "loss_scale") == 65536);
  CHECK(metric(host.curve[1], "loss_scale") == 32768);
  CHECK(metric(host.curve[0], "weight_norm") == metric(host.curve[1], "weight_norm"));
  CHECK(metric(host.curve[0], "grad_norm") == -1);  // it has none
  CHECK(metric(host.curve.back(), "grad_norm") > 0);
}

TEST_CASE("a checkpoint of another precision is not taken", "[train][precision][resume]") {
  Json trial = digits_trial();
  trial["precision"] = "bf16";
  Fixture fixture(trial);
  trial::PieceOrder order = fixture.order(1, 2);
  order.resume = artifact(fixture.run(fixture.order(0, 1)), "last");
  order.sets = {{"precision", GENERATE("fp32", "fp16")}};
  CHECK_THROWS_WITH(fixture.run(order), Contains("other settings"));
}

TEST_CASE("a precision that does not exist is refused with its place", "[train][precision]") {
  Json trial = digits_trial();
  trial["precision"] = GENERATE(Json("fp8"), Json(16));
  Fixture fixture(trial);
  CHECK_THROWS_WITH(fixture.run(fixture.order(0, 1)), Contains("precision: there is no"));
}

}  // namespace precision_test
