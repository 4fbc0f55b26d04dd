// SPDX-License-Identifier: Apache-2.0
// Optimisers against torch::optim, step by step over the same gradients.
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include "support/catch.hpp"
#include "train/optimizer.hpp"
#include "util/random.hpp"

namespace optimizer_test {

using namespace dlrun;
using train::OptimizerConfig;

namespace {

constexpr std::int64_t kSize = 203;  // no multiple of a vector

at::Tensor noise(const char* name) {
  at::Tensor tensor = at::empty({kSize}, at::kFloat);
  RandomStream stream(5, {name});
  for (std::int64_t i = 0; i < kSize; ++i) tensor.data_ptr<float>()[i] = float(stream.normal());
  return tensor;
}

train::Layout whole(const OptimizerConfig& config) {
  return {std::size_t(kSize), {{.begin = 0, .end = std::size_t(kSize), .weight_decay = config.weight_decay}}};
}

std::unique_ptr<torch::optim::Optimizer> reference(const OptimizerConfig& c, const at::Tensor& p) {
  const std::vector<at::Tensor> list{p};
  if (c.op == "sgd") {
    return std::make_unique<torch::optim::SGD>(list, torch::optim::SGDOptions(c.lr)
                                                         .momentum(c.momentum)
                                                         .dampening(c.dampening)
                                                         .nesterov(c.nesterov)
                                                         .weight_decay(c.weight_decay));
  }
  if (c.op == "rmsprop") {
    return std::make_unique<torch::optim::RMSprop>(list, torch::optim::RMSpropOptions(c.lr)
                                                             .alpha(c.alpha)
                                                             .eps(c.eps)
                                                             .centered(c.centered)
                                                             .momentum(c.momentum)
                                                             .weight_decay(c.weight_decay));
  }
  if (c.op == "adagrad") {
    return std::make_unique<torch::optim::Adagrad>(list, torch::optim::AdagradOptions(c.lr)
                                                             .lr_decay(c.lr_decay)
                                                             .eps(c.eps)
                                                             .initial_accumulator_value(c.initial_accumulator_value)
                                                             .weight_decay(c.weight_decay));
  }
  if (c.op == "adam") {
    return std::make_unique<torch::optim::Adam>(list, torch::optim::AdamOptions(c.lr)
                                                          .betas({c.beta1, c.beta2})
                                                          .eps(c.eps)
                                                          .weight_decay(c.weight_decay)
                                                          .amsgrad(c.amsgrad));
  }
  return std::make_unique<torch::optim::AdamW>(list, torch::optim::AdamWOptions(c.lr)
                                                         .betas({c.beta1, c.beta2})
                                                         .eps(c.eps)
                                                         .weight_decay(c.weight_decay)
                                                         .amsgrad(c.amsgrad));
}

/// Greatest difference over 20 steps of a quadratic bowl with noise.
double difference(const OptimizerConfig& config) {
  at::Tensor ours = noise("start"), theirs = ours.clone().set_requires_grad(true);
  const auto optimizer = train::make_optimizer(config, whole(config));
  const auto expected = reference(config, theirs);
  double worst = 0;
  for (int step = 1; step <= 20; ++step) {
    const at::Tensor push = noise(std::to_string(step).c_str());
    const at::Tensor grads = ours * 0.5 + push;
    theirs.mutable_grad() = theirs.detach() * 0.5 + push;
    optimizer->step(ours.data_ptr<float>(), grads.data_ptr<float>(), {.step = step, .lr = config.lr});
    expected->step();
    worst = std::max(worst, (ours - theirs.detach()).abs().max().item<double>());
  }
  return worst;
}

}  // namespace

TEST_CASE("optimisers agree with torch's over twenty steps", "[train][optimizer]") {
  SECTION("sgd") { CHECK(difference({.op = "sgd", .lr = 0.1}) <= 1e-6); }
  SECTION("sgd with decay") { CHECK(difference({.op = "sgd", .lr = 0.1, .weight_decay = 0.01}) <= 1e-6); }
  SECTION("sgd with momentum") {
    CHECK(difference({.op = "sgd", .lr = 0.1, .weight_decay = 0.01, .momentum = 0.9}) <= 1e-6);
  }
  SECTION("nesterov") {
    CHECK(difference({.op = "sgd", .lr = 0.05, .weight_decay = 0.01, .momentum = 0.9, .nesterov = true}) <= 1e-6);
  }
  SECTION("adam") { CHECK(difference({.op = "adam", .lr = 0.01}) <= 1e-6); }
  SECTION("adam with decay") {
    CHECK(difference({.op = "adam", .lr = 0.01, .weight_decay = 0.1, .beta1 = 0.8}) <= 1e-6);
  }
  SECTION("adamw") { CHECK(difference({.op = "adamw", .lr = 0.01, .weight_decay = 0.1, .beta2 = 0.95}) <= 1e-6); }
  SECTION("dampening") { CHECK(difference({.op = "sgd", .lr = 0.1, .momentum = 0.9, .dampening = 0.4}) <= 1e-6); }
  SECTION("amsgrad") { CHECK(difference({.op = "adam", .lr = 0.01, .beta2 = 0.9, .amsgrad = true}) <= 1e-6); }
  SECTION("amsgrad with decay") {
    CHECK(difference({.op = "adamw", .lr = 0.01, .weight_decay = 0.1, .beta2 = 0.9, .amsgrad = true}) <= 1e-6);
  }
  SECTION("rmsprop") { CHECK(difference({.op = "rmsprop", .lr = 0.01, .weight_decay = 0.01}) <= 1e-6); }
  SECTION("rmsprop with momentum") { CHECK(difference({.op = "rmsprop", .lr = 0.01, .momentum = 0.8}) <= 5e-6); }
  SECTION("rmsprop, centered") {
    CHECK(difference({.op = "rmsprop", .lr = 0.01, .momentum = 0.8, .centered = true}) <= 1e-5);
  }
  SECTION("adagrad") { CHECK(difference({.op = "adagrad", .lr = 0.1, .eps = 1e-10}) <= 1e-6); }
  SECTION("adagrad with all it has") {
    CHECK(difference({.op = "adagrad",
                      .lr = 0.1,
                      .weight_decay = 0.1,
                      .eps = 1e-10,
                      .lr_decay = 0.05,
                      .initial_accumulator_value = 0.2}) <= 1e-6);
  }
}

TEST_CASE("an optimiser that is none is refused", "[train][optimizer]") {
  CHECK_THROWS_WITH(train::make_optimizer({.op = "lyon"}, {}), "optimizer.op: there is no 'lyon'");
}

TEST_CASE("ranges have their own rate and decay, and what lies in none stays", "[train][optimizer]") {
  const std::string op = GENERATE("sgd", "adam", "adamw", "nadam", "radam", "adamax", "rmsprop", "adagrad", "adadelta",
                                  "lamb", "lars", "lion");
  INFO(op);
  const OptimizerConfig config{.op = op, .lr = 0.1, .eps = 1e-6};
  const at::Tensor start = noise("start"), grads = noise("grads");
  at::Tensor whole_run = start.clone(), parts = start.clone(), slow = start.clone();
  const auto steps = [&](at::Tensor& values, double lr, std::vector<train::Range> ranges) {
    const auto optimizer = train::make_optimizer(config, {std::size_t(kSize), std::move(ranges)});
    for (int t = 1; t <= 3; ++t) {
      optimizer->step(values.data_ptr<float>(), grads.data_ptr<float>(), {.step = t, .lr = lr});
    }
  };
  steps(whole_run, 0.1, {{0, 64, 1, 0.01}, {64, 128, 1, 0.01}});
  steps(parts, 0.1, {{0, 64, 1, 0.01}, {64, 128, 0.5, 0.5}});
  steps(slow, 0.05, {{64, 128, 1, 0.5}});
  const auto equal = [](const at::Tensor& a, const at::Tensor& b, int from, int to) {
    return at::equal(a.slice(0, from, to), b.slice(0, from, to));
  };
  CHECK(equal(parts, whole_run, 0, 64));
  CHECK_FALSE(equal(parts, whole_run, 64, 128));
  CHECK(equal(parts, slow, 64, 128));
  CHECK(equal(parts, start, 128, kSize));
  CHECK(equal(slow, start, 0, 64));
}

TEST_CASE("each gradient is cut to the size allowed", "[train][optimizer]") {
  at::Tensor grads = noise("grads");
  const at::Tensor expected = grads.clamp(-0.3, 0.3);
  train::clip_value(grads.data_ptr<float>(), std::size_t(kSize), 0.3);
  CHECK(at::equal(grads, expected));
}

TEST_CASE("gradients are scaled to the norm allowed, and left alone below it", "[train][optimizer]") {
  at::Tensor grads = noise("grads");
  const double norm = grads.norm().item<double>();
  const at::Tensor before = grads.clone();
  CHECK(train::clip_norm(grads.data_ptr<float>(), std::size_t(kSize), 2 * norm) == Approx(norm));
  CHECK(at::equal(grads, before));
  CHECK(train::clip_norm(grads.data_ptr<float>(), std::size_t(kSize), 0.5) == Approx(norm));
  CHECK(grads.norm().item<double>() == Approx(0.5).epsilon(1e-4));
}

}  // namespace optimizer_test
