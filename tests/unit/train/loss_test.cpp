// SPDX-License-Identifier: Apache-2.0
// Losses, metrics and schedules against libtorch or by hand.
#include "train/loss.hpp"

#include <cmath>

#include <ATen/ATen.h>

#include "support/catch.hpp"
#include "train/metrics.hpp"
#include "train/schedule.hpp"
#include "util/random.hpp"

using namespace dlrun;
using namespace dlrun::train;

namespace {

at::Tensor noise(std::vector<std::int64_t> sizes, const char* name) {
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  RandomStream stream(2, {name});
  for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.data_ptr<float>()[i] = 2 * float(stream.normal());
  return tensor;
}

dataset::Schema classes_of(std::int64_t classes) {
  dataset::Schema schema;
  schema.classes = classes;
  return schema;
}

dataset::Schema targets_of(std::int64_t targets) {
  dataset::Schema schema;
  schema.targets = targets;
  return schema;
}

void compare(Loss& loss, const at::Tensor& output, const at::Tensor& targets,
             const std::function<at::Tensor(const at::Tensor&)>& reference) {
  const at::Tensor leaf = output.clone().set_requires_grad(true);
  const at::Tensor expected = reference(leaf);
  expected.backward();
  at::Tensor grad;
  CHECK(loss.measure(output, targets, &grad) == Approx(expected.item<double>()).epsilon(1e-5));
  CHECK(at::allclose(grad, leaf.grad(), 1e-5, 1e-7));
  CHECK(loss.measure(output, targets, nullptr) == loss.measure(output, targets, &grad));
}

double value(const std::vector<trial::Metric>& metrics, const std::string& name) {
  for (const trial::Metric& m : metrics) {
    if (m.name == name) return m.value;
  }
  return NAN;
}

}  // namespace

TEST_CASE("cross-entropies and their gradients agree with libtorch", "[train][loss]") {
  const at::Tensor output = noise({6, 4}, "o"), labels = at::tensor({0, 3, 1, 1, 2, 0}, at::kLong);
  const double smoothing = GENERATE(0.0, 0.1);
  const auto loss = make_loss({.op = "cross_entropy", .label_smoothing = smoothing}, {4}, classes_of(4));
  compare(*loss, output, labels, [&](const at::Tensor& o) {
    return at::cross_entropy_loss(o, labels, {}, at::Reduction::Mean, -100, smoothing);
  });
  const auto binary = make_loss({.op = "binary_cross_entropy"}, {4}, classes_of(4));
  const at::Tensor one_hot = at::one_hot(labels, 4).to(at::kFloat);
  compare(*binary, output, labels,
          [&](const at::Tensor& o) { return at::binary_cross_entropy_with_logits(o, one_hot); });
}

TEST_CASE("regression losses and their gradients agree with libtorch", "[train][loss]") {
  const at::Tensor output = noise({5, 3}, "o"), wanted = noise({5, 3}, "t");
  const auto loss = [](const char* op) { return make_loss({.op = op, .delta = 0.7}, {3}, targets_of(3)); };
  compare(*loss("mse"), output, wanted, [&](const at::Tensor& o) { return at::mse_loss(o, wanted); });
  compare(*loss("mae"), output, wanted, [&](const at::Tensor& o) { return at::l1_loss(o, wanted); });
  compare(*loss("huber"), output, wanted,
          [&](const at::Tensor& o) { return at::huber_loss(o, wanted, at::Reduction::Mean, 0.7); });
}

TEST_CASE("a NaN or an infinity in the output is in the loss", "[train][loss]") {
  const auto check = [](const char* op, const dataset::Schema& schema, const at::Tensor& targets) {
    for (const float bad : {NAN, INFINITY}) {
      at::Tensor output = noise({2, 3}, "o");
      output[1][2] = bad;
      INFO(op << " " << bad);
      CHECK_FALSE(std::isfinite(make_loss({.op = op}, {3}, schema)->measure(output, targets, nullptr)));
    }
  };
  check("cross_entropy", classes_of(3), at::tensor({0, 2}, at::kLong));
  for (const char* op : {"mse", "mae", "huber"}) check(op, targets_of(3), noise({2, 3}, "t"));
}

TEST_CASE("metrics are those of their definitions, whatever the batches", "[train][metrics]") {
  const at::Tensor output = noise({9, 2}, "o"), wanted = noise({9, 2}, "t");
  Sums whole, parts;
  whole.add(0.5, output, wanted);
  parts.add(0.2, output.narrow(0, 0, 3), wanted.narrow(0, 0, 3));
  parts = Sums::from_json(parts.to_json());
  parts.add(0.65, output.narrow(0, 3, 6), wanted.narrow(0, 3, 6));
  const std::vector<std::string> names = {"mae", "mse", "rmse", "r2"};
  const auto a = whole.metrics("val", names), b = parts.metrics("val", names);
  for (const trial::Metric& m : a) CHECK(value(b, m.name) == Approx(m.value));
  CHECK(value(a, "val.mae") == Approx((output - wanted).abs().mean().item<double>()));
  CHECK(value(a, "val.mse") == Approx(at::mse_loss(output, wanted).item<double>()));
  const at::Tensor left = (output - wanted).pow(2).sum(0), spread = (wanted - wanted.mean(0)).pow(2).sum(0);
  CHECK(value(a, "val.r2") == Approx((1 - left / spread).mean().item<double>()).epsilon(1e-4));
  CHECK(value(a, "val.loss") == 0.5);
}

TEST_CASE("accuracy counts the greatest output, or the sign of a single one", "[train][metrics]") {
  Sums sums, signs;
  sums.add(1, at::tensor({1.f, 2.f, 3.f, 0.f, 5.f, 5.f}).view({3, 2}), at::tensor({1, 1, 0}, at::kLong));
  CHECK(value(sums.metrics("test", {"accuracy"}), "test.accuracy") == Approx(2.0 / 3));
  signs.add(1, at::tensor({-1.f, 2.f, 3.f}).view({3, 1}), at::tensor({0, 1, 0}, at::kLong));
  CHECK(value(signs.metrics("test", {"accuracy"}), "test.accuracy") == Approx(2.0 / 3));
}

TEST_CASE("schedules span the whole trial", "[train][schedule]") {
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
