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
using recipe::Adagrad;
using recipe::Adam;
using recipe::AdamW;
using recipe::OptimizerConfig;
using recipe::RmsProp;
using recipe::Sgd;

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

using Reference = std::unique_ptr<torch::optim::Optimizer>;
using Tensors = std::vector<at::Tensor>;

Reference reference(const recipe::Sgd& s, const OptimizerConfig& c, const Tensors& list) {
  return std::make_unique<torch::optim::SGD>(list, torch::optim::SGDOptions(c.lr)
                                                       .momentum(s.momentum)
                                                       .dampening(s.dampening)
                                                       .nesterov(s.nesterov)
                                                       .weight_decay(c.weight_decay));
}

Reference reference(const recipe::RmsProp& s, const OptimizerConfig& c, const Tensors& list) {
  return std::make_unique<torch::optim::RMSprop>(list, torch::optim::RMSpropOptions(c.lr)
                                                           .alpha(s.alpha)
                                                           .eps(s.eps)
                                                           .centered(s.centered)
                                                           .momentum(s.momentum)
                                                           .weight_decay(c.weight_decay));
}

Reference reference(const recipe::Adagrad& s, const OptimizerConfig& c, const Tensors& list) {
  return std::make_unique<torch::optim::Adagrad>(list, torch::optim::AdagradOptions(c.lr)
                                                           .lr_decay(s.lr_decay)
                                                           .eps(s.eps)
                                                           .initial_accumulator_value(s.initial_accumulator_value)
                                                           .weight_decay(c.weight_decay));
}

template <class Options>
Options adam_options(const recipe::Adam& s, const OptimizerConfig& c) {
  return Options(c.lr).betas({s.betas[0], s.betas[1]}).eps(s.eps).weight_decay(c.weight_decay).amsgrad(s.amsgrad);
}

Reference reference(const recipe::Adam& s, const OptimizerConfig& c, const Tensors& list) {
  return std::make_unique<torch::optim::Adam>(list, adam_options<torch::optim::AdamOptions>(s, c));
}

Reference reference(const recipe::AdamW& s, const OptimizerConfig& c, const Tensors& list) {
  return std::make_unique<torch::optim::AdamW>(list, adam_options<torch::optim::AdamWOptions>(s, c));
}

/// Greatest difference over 20 steps of a quadratic bowl with noise.
template <class Settings>
double difference(const Settings& settings, double lr, double weight_decay = 0) {
  const OptimizerConfig config{.lr = lr, .weight_decay = weight_decay, .method = settings};
  at::Tensor ours = noise("start"), theirs = ours.clone().set_requires_grad(true);
  const auto optimizer = train::make_optimizer(config, whole(config));
  const auto expected = reference(settings, config, {theirs});
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
  SECTION("sgd") { CHECK(difference(Sgd(), 0.1) <= 1e-6); }
  SECTION("sgd with decay") { CHECK(difference(Sgd(), 0.1, 0.01) <= 1e-6); }
  SECTION("sgd with momentum") { CHECK(difference(Sgd{.momentum = 0.9}, 0.1, 0.01) <= 1e-6); }
  SECTION("nesterov") { CHECK(difference(Sgd{.momentum = 0.9, .nesterov = true}, 0.05, 0.01) <= 1e-6); }
  SECTION("adam") { CHECK(difference(Adam(), 0.01) <= 1e-6); }
  SECTION("adam with decay") { CHECK(difference(Adam{.betas = {0.8, 0.999}}, 0.01, 0.1) <= 1e-6); }
  SECTION("adamw") { CHECK(difference(AdamW{{.betas = {0.9, 0.95}}}, 0.01, 0.1) <= 1e-6); }
  SECTION("dampening") { CHECK(difference(Sgd{.momentum = 0.9, .dampening = 0.4}, 0.1) <= 1e-6); }
  SECTION("amsgrad") { CHECK(difference(Adam{.betas = {0.9, 0.9}, .amsgrad = true}, 0.01) <= 1e-6); }
  SECTION("amsgrad with decay") { CHECK(difference(AdamW{{.betas = {0.9, 0.9}, .amsgrad = true}}, 0.01, 0.1) <= 1e-6); }
  SECTION("rmsprop") { CHECK(difference(RmsProp(), 0.01, 0.01) <= 1e-6); }
  SECTION("rmsprop with momentum") { CHECK(difference(RmsProp{.momentum = 0.8}, 0.01) <= 5e-6); }
  SECTION("rmsprop, centered") { CHECK(difference(RmsProp{.momentum = 0.8, .centered = true}, 0.01) <= 1e-5); }
  SECTION("adagrad") { CHECK(difference(Adagrad(), 0.1) <= 1e-6); }
  SECTION("adagrad with all it has") {
    CHECK(difference(Adagrad{.lr_decay = 0.05, .initial_accumulator_value = 0.2}, 0.1, 0.1) <= 1e-6);
  }
}

TEST_CASE("ranges have their own rate and decay, and what lies in none stays", "[train][optimizer]") {
  const std::string op = GENERATE("sgd", "adam", "adamw", "nadam", "radam", "adamax", "rmsprop", "adagrad", "adadelta",
                                  "lamb", "lars", "lion", "muon");
  INFO(op);
  Json section = {{"op", op}, {"lr", 0.1}};
  if (op != "sgd" && op != "lion") section["eps"] = 1e-6;
  const OptimizerConfig config = recipe::read_optimizer({{"optimizer", section}});
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

namespace {

template <class Method>
std::string slots_of(Method method = {}) {
  OptimizerConfig config;
  config.method = method;
  const auto optimizer = train::make_optimizer(config, whole(config));
  std::string names;
  for (const train::Slot& slot : optimizer->slots()) names += " " + slot.name;
  return Method::kName + names;
}

}  // namespace

// A checkpoint holds the state under them.
TEST_CASE("names of an optimiser's state are part of the format", "[train][optimizer][format]") {
  CHECK(slots_of(Sgd{.momentum = 0.9}) == "sgd momentum");
  CHECK(slots_of<Adam>() == "adam exp_avg exp_avg_sq");
  CHECK(slots_of(Adam{.amsgrad = true}) == "adam exp_avg exp_avg_sq max_exp_avg_sq");
  CHECK(slots_of<AdamW>() == "adamw exp_avg exp_avg_sq");
  CHECK(slots_of<recipe::NAdam>() == "nadam exp_avg exp_avg_sq");
  CHECK(slots_of<recipe::RAdam>() == "radam exp_avg exp_avg_sq");
  CHECK(slots_of<recipe::Adamax>() == "adamax exp_avg exp_inf");
  CHECK(slots_of(RmsProp{.momentum = 0.5, .centered = true}) == "rmsprop square_avg grad_avg momentum_buffer");
  CHECK(slots_of<Adagrad>() == "adagrad sum");
  CHECK(slots_of<recipe::Adadelta>() == "adadelta square_avg acc_delta");
  CHECK(slots_of<recipe::Lamb>() == "lamb exp_avg exp_avg_sq");
  CHECK(slots_of<recipe::Lars>() == "lars momentum");
  CHECK(slots_of<recipe::Lion>() == "lion exp_avg");
}

}  // namespace optimizer_test
