// SPDX-License-Identifier: Apache-2.0
// Optimisers against torch::optim, step by step over the same gradients.
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include "support/catch.hpp"
#include "train/optimizer.hpp"
#include "util/random.hpp"

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

std::unique_ptr<torch::optim::Optimizer> reference(const OptimizerConfig& c, const at::Tensor& p) {
  const std::vector<at::Tensor> list{p};
  if (c.op == "sgd") {
    return std::make_unique<torch::optim::SGD>(
        list, torch::optim::SGDOptions(c.lr).momentum(c.momentum).nesterov(c.nesterov).weight_decay(c.weight_decay));
  }
  if (c.op == "adam") {
    return std::make_unique<torch::optim::Adam>(
        list, torch::optim::AdamOptions(c.lr).betas({c.beta1, c.beta2}).eps(c.eps).weight_decay(c.weight_decay));
  }
  return std::make_unique<torch::optim::AdamW>(
      list, torch::optim::AdamWOptions(c.lr).betas({c.beta1, c.beta2}).eps(c.eps).weight_decay(c.weight_decay));
}

/// Greatest difference over 20 steps of a quadratic bowl with noise.
double difference(const OptimizerConfig& config) {
  at::Tensor ours = noise("start"), theirs = ours.clone().set_requires_grad(true);
  const auto optimizer = train::make_optimizer(config, std::size_t(kSize));
  const auto expected = reference(config, theirs);
  double worst = 0;
  for (int step = 1; step <= 20; ++step) {
    const at::Tensor push = noise(std::to_string(step).c_str());
    const at::Tensor grads = ours * 0.5 + push;
    theirs.mutable_grad() = theirs.detach() * 0.5 + push;
    optimizer->step(ours.data_ptr<float>(), grads.data_ptr<float>(), step, config.lr);
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
}

TEST_CASE("an optimiser that is none is refused", "[train][optimizer]") {
  CHECK_THROWS_WITH(train::make_optimizer({.op = "lion"}, 1), "optimizer.op: there is no 'lion'");
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
