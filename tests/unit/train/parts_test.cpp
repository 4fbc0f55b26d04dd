// SPDX-License-Identifier: Apache-2.0
// The parts of a Training, each made without the others.
#include <cmath>

#include <ATen/ATen.h>

#include "train/accumulation.hpp"
#include "train/averaging.hpp"
#include "train/epoch_batches.hpp"
#include "train/evaluation.hpp"
#include "train/network.hpp"
#include "train/prefix.hpp"
#include "train/progress.hpp"
#include "train/weight_steps.hpp"
#include "unit/train/walk_cases.hpp"
#include "util/error.hpp"

namespace parts_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// Settings, data and model of the small trial, with other settings beside its own.
Ingredients small(const Json& settings = Json::object()) {
  at::set_num_threads(1);
  Walk walk{"small", "row", small_trial()};
  walk.trial.update(settings);
  return ingredients_of(walk);
}

at::Tensor numbers(std::initializer_list<double> values) { return at::tensor(values, at::kFloat); }

/// Sums in which one example has this loss.
SplitSums sums_with(const Ingredients& of, double loss) {
  SplitSums sums(of.config.outputs, of.data->schema(), false);
  Heads heads(of.config.outputs, of.graph, *of.data);
  at::Tensor logits = at::zeros({1, 3});
  const data::Examples one = of.data->val().part(0, 1);
  logits[0][one.targets.item<std::int64_t>()] = -std::log(std::expm1(loss) / 2);
  heads.measure({logits}, one, sums, nullptr);
  return sums;
}

/// Progress over epochs of three batches.
Progress counted(const Ingredients& of, Objective objective = {"val.loss", false, true}) {
  return {of.config, std::move(objective), 3, {of.config.outputs, of.data->schema(), true}};
}

/// Closes an epoch whose validation split has this loss.
trial::Report close(Progress& progress, const Ingredients& of, double loss) {
  progress.sums() = sums_with(of, 1);
  return progress.close_epoch(sums_with(of, loss), true);
}

}  // namespace

TEST_CASE("gradients of several batches weigh by what counts in them", "[train][parts]") {
  at::Tensor grads = numbers({0, 0});
  Accumulation several(grads, 2);
  for (int step = 0; step < 2; ++step) {  // nothing of a step stays for the next one
    several.add_batch(numbers({1, 0}), {3.0, 1.0});
    several.add_batch(numbers({5, 4}), {1.0, 3.0});
    CHECK(several.finish(grads) == Approx(1.5));
    CHECK(at::equal(grads, numbers({4, 3})));
  }
  several.add_batch(numbers({1, 1}), {2.0, 0.0});
  CHECK(several.finish(grads) == 0);  // all labels are ignored
  CHECK(at::equal(grads, numbers({0, 0})));
  Accumulation single(grads, 1);
  grads.copy_(numbers({7, 8}));
  single.add_batch(grads, {0.25, 4.0});
  CHECK(single.finish(grads) == 0.25);
  CHECK(at::equal(grads, numbers({7, 8})));
}

TEST_CASE("an average follows every step, and begins with the first", "[train][parts]") {
  const nn::Parameters weights(small().graph);
  const auto set = [&](double value) { at::Tensor(weights.values()).fill_(value); };
  set(1);
  Averaging ema(0.75, std::nullopt, weights);
  const auto value = [&] { return ema.on_cpu().of(weights, 0).flatten()[0].item<float>(); };
  REQUIRE(ema.in_use(0) != nullptr);
  set(2);
  ema.follow(weights, 1);
  CHECK(value() == 2);
  set(6);
  ema.follow(weights, 2);
  CHECK(value() == 3);
  ema.begin(weights);
  CHECK(value() == 6);
  CHECK_FALSE(ema.takes_epoch(0));
}

TEST_CASE("an epoch enters the average when it is kept", "[train][parts]") {
  const nn::Parameters weights(small().graph);
  const auto set = [&](double value) { at::Tensor(weights.values()).fill_(value); };
  recipe::SwaConfig swa;
  swa.when = {.start = 0.5, .every = 1, .epochs = 4};
  Averaging averaging(std::nullopt, swa, weights);
  const auto value = [&] { return averaging.on_cpu().of(weights, 0).flatten()[0].item<float>(); };
  CHECK(averaging.begins_at() == 3);
  CHECK_FALSE(averaging.takes_epoch(1));
  REQUIRE(averaging.takes_epoch(2));
  CHECK(averaging.in_use(2) == nullptr);
  set(2);
  averaging.take_epoch(weights, 2);
  averaging.keep_epoch();
  set(4);
  averaging.take_epoch(weights, 3);
  CHECK(averaging.in_use(3)->of(weights, 0).flatten()[0].item<float>() == 3);
  CHECK(value() == 2);
  averaging.drop_epoch();
  averaging.keep_epoch();
  CHECK(value() == 2);
  averaging.restore(Average(), weights, at::kCPU);
  CHECK(value() == 4);
}

TEST_CASE("weights move by clipped gradients, frozen ones not at all", "[train][parts]") {
  const Ingredients of =
      small({{"optimizer", {{"op", "sgd"}, {"lr", 1}, {"groups", {{{"match", "fc"}, {"frozen", true}}}}}},
             {"clip_value", 0.5}});
  const nn::Parameters weights(of.graph);
  WeightSteps steps(of.config, of.graph, weights);
  at::Tensor(weights.values()).zero_();
  at::Tensor(weights.grads()).fill_(2);
  const auto count = double(weights.find("head.weight")->value.numel());
  for (const nn::Parameter& p : weights.all()) {
    if (p.trainable && !p.name.starts_with("head.weight")) p.grad.zero_();
  }
  weights.find("fc.weight")->grad.fill_(9);
  at::Tensor whole = at::zeros_like(weights.grads());  // without what stands in the gaps
  for (const nn::Parameter& p : weights.all()) {
    if (p.trainable) whole.narrow(0, p.offset, p.value.numel()).copy_(p.grad.flatten());
  }
  at::Tensor(weights.grads()).copy_(whole);
  CHECK(steps.grad_norm() == Approx(2 * std::sqrt(count)));
  const std::vector<std::string> idle = steps.without_gradient(weights);
  CHECK(std::find(idle.begin(), idle.end(), "head.bias") != idle.end());
  CHECK(std::find(idle.begin(), idle.end(), "head.weight") == idle.end());
  CHECK(std::find(idle.begin(), idle.end(), "fc.weight") == idle.end());
  steps.take_step({.step = 1, .lr = 1});
  CHECK(weights.find("head.weight")->value.eq(-0.5).all().item<bool>());
  CHECK(weights.find("fc.weight")->value.eq(0).all().item<bool>());
}

TEST_CASE("gradients lose their scale, and one that is not finite is seen", "[train][parts]") {
  const Ingredients of = small();
  const nn::Parameters weights(of.graph);
  WeightSteps steps(of.config, of.graph, weights);
  LossScale scale{8, 0};
  at::Tensor(weights.grads()).fill_(4);
  CHECK(steps.unscale(scale));
  CHECK(weights.grads()[0].item<float>() == 0.5f);
  at::Tensor(weights.grads())[0] = INFINITY;
  CHECK_FALSE(steps.unscale(scale));
}

TEST_CASE("an epoch's order is drawn once, and again after a restart", "[train][parts]") {
  const Ingredients of = small();
  EpochBatches batches(*of.data, {4}, {7, 0}, at::kCPU);
  REQUIRE(batches.count() == 4);
  const auto first = [&] { return batches.fetch_batch(0).inputs[0].clone(); };
  batches.begin(1);
  const at::Tensor one = first();
  batches.begin(2);
  CHECK_FALSE(at::equal(first(), one));
  batches.restart();
  batches.begin(1);
  CHECK(at::equal(first(), one));
  CHECK(at::equal(batches.batch(0).inputs[0], one));
}

TEST_CASE("a network keeps its weights apart, and lends their place to an average", "[train][parts]") {
  const Ingredients of = small();
  for (const bool takes_steps : {false, true}) {
    Network network(of.graph, {7, 0}, nn::Precision::fp32, {at::kCPU, true, takes_steps});
    const data::Examples some = of.data->val().part(0, 4);
    const at::Tensor before = network.evaluate(some)[0];
    at::Tensor(network.parameters().values()).mul_(2);
    CHECK(at::equal(network.evaluate(some)[0], before));
    network.set_weights();
    const at::Tensor doubled = network.evaluate(some)[0];
    CHECK_FALSE(at::equal(doubled, before));
    Average average(network.moved(), false);
    at::Tensor(network.moved().values()).zero_();
    network.note_moved();
    CHECK(network.weight_norm() == 0);
    CHECK(network.parameters().values().abs().sum().item<float>() == 0);
    {
      const Exchanged averaged(network, &average);
      CHECK(network.exchanged() == &average);
      CHECK(at::equal(network.evaluate(some)[0], doubled));
      const Exchanged back(network, network.exchanged());
      CHECK(network.parameters().values().abs().sum().item<float>() == 0);
    }
    CHECK(network.exchanged() == nullptr);
    CHECK(network.weight_norm() == 0);
  }
}

TEST_CASE("an evaluation measures all examples and tells after each part", "[train][parts]") {
  const Ingredients of = small();
  Network network(of.graph, {7, 0}, nn::Precision::fp32, {});
  Heads heads(of.config.outputs, of.graph, *of.data);
  at::Tensor(network.parameters().values()).zero_();
  network.set_weights();
  SplitSums sums(of.config.outputs, of.data->schema(), false);
  int parts = 0;
  Evaluation evaluation(network, heads, nullptr);
  evaluation.add_to(sums, of.data->val(), [&parts] { ++parts; });
  CHECK(parts == 1);
  CHECK(sums.loss() == Approx(std::log(3.0)));
  evaluation.predict(of.data->val(), [&](const std::vector<at::Tensor>& predictions) {
    CHECK(predictions[0].size(0) == kVal);
    CHECK(predictions[0].eq(0).all().item<bool>());
  });
}

TEST_CASE("progress counts batches, steps and epochs", "[train][parts]") {
  const Ingredients of = small({{"accumulate", 2}, {"schedule", {{"op", "step"}, {"every", 1}, {"gamma", 0.5}}}});
  Progress progress = counted(of);
  CHECK(progress.steps_per_epoch() == 2);
  std::string full;
  for (int batch = 0; batch < 3; ++batch) {
    progress.note_batch();
    full += progress.is_step_full() ? 'y' : 'n';
  }
  CHECK(full == "nyy");
  CHECK_FALSE(progress.has_batch());
  CHECK(progress.passes() == 3);
  progress.note_step(false);
  progress.note_step(true);
  CHECK(progress.pace().step == 2);
  CHECK(progress.pace().lr == Approx(0.025));
  CHECK(close(progress, of, 2).step == 1);
  CHECK(progress.has_batch());
  CHECK_THROWS_AS(progress.close_epoch(sums_with(of, INFINITY), true), Diverged);
  CHECK(progress.state().epoch == 1);
  progress.stand_at(2, 9);
  CHECK(progress.state().step == 4);
  CHECK(progress.optimizer_steps() == 9);
  CHECK(progress.state().reports.empty());
}

TEST_CASE("the best epoch is the first of the best, and patience ends a training", "[train][parts]") {
  const Ingredients of = small({{"stop", {{"patience", 1}, {"metric", "val.loss"}}}});
  Progress progress = counted(of);
  for (const double loss : {2.0, 1.0, 1.0}) close(progress, of, loss);
  REQUIRE(progress.state().best);
  CHECK(progress.state().best->epoch == 2);
  CHECK_FALSE(progress.has_stopped());
  Progress other = counted(of);
  other.restore(progress.state());
  for (Progress* each : {&progress, &other}) {
    close(*each, of, 3);
    CHECK(each->has_stopped());
    CHECK(each->state().best->epoch == 2);
  }
  Progress unmeasured = counted(of, {"val.accuracy", true, true});
  close(unmeasured, of, 1);
  Progress none = counted(of, {"val.nothing", true, true});
  CHECK_THROWS_WITH(close(none, of, 1), Contains("'val.nothing' is not measured"));
}

TEST_CASE("a state is restored with a loss scale only where gradients are scaled", "[train][parts]") {
  const Ingredients plain = small(), half = small({{"precision", "fp16"}});
  Progress scaled = counted(half), unscaled = counted(plain);
  REQUIRE(scaled.loss_scale() != nullptr);
  State state = scaled.state();
  unscaled.restore(state);
  CHECK(unscaled.loss_scale() == nullptr);
  scaled.restore(unscaled.state());
  CHECK(scaled.loss_scale() != nullptr);
}

TEST_CASE("a prefix names the rates of the epochs that are done, not those to come", "[train][parts]") {
  const auto named = [](const char* schedule, int epochs) {
    const Ingredients of = small({{"schedule", parse_json(schedule, "schedule")}});
    Progress progress = counted(of);
    for (int epoch = 0; epoch < epochs; ++epoch) close(progress, of, 1);
    return prefix(of.config, "model", "data", progress);
  };
  const char* late = R"({"op": "multi_step", "milestones": [1]})";
  CHECK(named(late, 1) == named(R"({"op": "constant"})", 1));
  CHECK(named(late, 2) != named(R"({"op": "constant"})", 2));
  CHECK(named(late, 1) != named(late, 2));
  const Ingredients of = small();
  CHECK(cold_fingerprint(of.config, "model", "data") == fingerprint(of.config, "model", "data"));
  CHECK(cold_fingerprint(of.config, "model", "data") != fingerprint(of.config, "model", "other"));
}

}  // namespace parts_test
