// SPDX-License-Identifier: Apache-2.0
// Which device a trial gets, and that a checkpoint does not show where it was made. No GPU is needed: what one would do
// differently stands behind values here.
#include "train/device.hpp"

#include <cmath>

#include "data/data.hpp"
#include "support/catch.hpp"
#include "train/training.hpp"
#include "unit/train/support.hpp"
#include "util/error.hpp"

namespace device_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

const Gpus kNone{0, "there is no driver"}, kTwo{2, {}};

const Placement kApart{.device = at::kCPU, .has_host_copy = true, .takes_steps = false};
const Placement kSteps{.device = at::kCPU, .has_host_copy = true, .takes_steps = true};

Placement gpu() {
  REQUIRE(find_gpus({}).count > 0);
  return {at::Device(at::kCUDA, 0)};
}

/// The digits, trained as if the model were on another device, or not.
std::string trained(const Json& trial, const Placement& placement, const std::string& from = {}, int until = 3) {
  const auto data = data::load_shared(trial.at("data"), 7);
  const Config config = read_config(trial, data->schema());
  model::Interface interface;
  for (const dataset::Input& input : data->schema().inputs) interface.inputs[input.name] = {input.shape, 0};
  interface.classes = data->schema().classes;
  Training training(config, model::build(config.model, interface), data, {7, 0}, {"val.accuracy", true, true},
                    placement);
  if (!from.empty()) training.restore(SafeTensors(from, "checkpoint"), "checkpoint");
  while (training.state().epoch < until) {
    while (training.has_batch()) training.step();
    training.finish_epoch([] {});
  }
  return training.encode();
}

/// The greatest difference of a weight, relative to the greatest weight of its tensor. Without fc1's bias, which batch
/// norm takes off again: its gradients are rounding and nothing else, which Adam makes large.
double difference(const std::string& a, const std::string& b) {
  const SafeTensors first(a, "a"), second(b, "b");
  double most = 0;
  for (const TensorView& x : first.tensors()) {
    if (!x.name.starts_with("model.") || x.dtype != "F32" || x.name == "model.fc1.bias") continue;
    const auto* p = reinterpret_cast<const float*>(x.bytes.data());
    const auto* q = reinterpret_cast<const float*>(second.find(x.name)->bytes.data());
    double apart = 0, size = 0;
    for (std::size_t i = 0; i < x.bytes.size() / sizeof(float); ++i) {
      apart = std::max(apart, double(std::abs(p[i] - q[i])));
      size = std::max(size, double(std::abs(p[i])));
    }
    most = std::max(most, size > 0 ? apart / size : apart);
  }
  return most;
}

Json rich_trial() {
  Json trial = digits_trial();
  trial["ema"] = {{"decay", 0.9}};
  trial["clip_norm"] = 0.5;
  trial["accumulate"] = 2;
  return trial;
}

/// One for each rule that steps are taken by on a device, and for what surrounds a step. Without decay Adam would make
/// the rounding large that is the whole gradient of pixels that never change.
std::vector<Json> stepping_trials() {
  std::vector<Json> trials{digits_trial(), rich_trial()};
  const auto add = [&](const Json& change) {
    trials.push_back(digits_trial());
    trials.back().update(change);
  };
  add({{"optimizer", {{"op", "sgd"}, {"lr", 0.05}}}});
  add({{"optimizer", {{"op", "sgd"}, {"lr", 0.05}, {"momentum", 0.9}, {"nesterov", true}, {"weight_decay", 1e-3}}}});
  add({{"optimizer", {{"op", "sgd"}, {"lr", 0.05}, {"momentum", 0.9}, {"dampening", 0.1}}}});
  add({{"optimizer", {{"op", "adam"}, {"lr", 0.003}, {"weight_decay", 1e-3}}}});
  add({{"optimizer", {{"op", "adam"}, {"lr", 0.003}, {"amsgrad", true}, {"weight_decay", 1e-3}}},
       {"clip_value", 0.01}});
  add({{"optimizer", {{"op", "adamw"}, {"lr", 0.003}, {"weight_decay", 0.05}}}, {"precision", "bf16"}});
  add({{"swa", {{"start", 0.25}, {"lr", 0.01}}}});
  return trials;
}

}  // namespace

TEST_CASE("the device follows from what is asked for and what is there", "[train][device]") {
  CHECK(choose_device("", kTwo).device == at::kCPU);
  CHECK(choose_device("cpu", kTwo).device == at::kCPU);
  CHECK(choose_device("auto", kTwo).device == at::Device(at::kCUDA, 0));
  CHECK(choose_device("cuda", kTwo).device == at::Device(at::kCUDA, 0));
  CHECK(choose_device("cuda:1", kTwo).device == at::Device(at::kCUDA, 1));
  for (const char* asked : {"cpu", "auto", "cuda", "cuda:1"}) CHECK(choose_device(asked, kTwo).warning.empty());
  CHECK(choose_device("auto", kNone).device == at::kCPU);
  CHECK(choose_device("auto", kNone).warning.empty());
}

TEST_CASE("a study for a GPU runs on the CPU where there is none, and says why", "[train][device]") {
  const std::string asked = GENERATE("cuda", "cuda:3");
  const DeviceChoice choice = choose_device(asked, kNone);
  CHECK(choice.device == at::kCPU);
  CHECK_THAT(choice.warning, Contains("'" + asked + "'") && Contains("runs on the CPU: there is no driver"));
}

TEST_CASE("a device that does not exist is refused", "[train][device]") {
  const std::string asked = GENERATE("gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:1x", "cud");
  CHECK_THROWS_WITH(choose_device(asked, kNone), Contains("there is no '" + asked + "'"));
  CHECK_THROWS_AS(choose_device("cuda:2", kTwo), Error);
}

TEST_CASE("precisions are refused by name where the device has none", "[train][device][precision]") {
  CHECK_NOTHROW(check_precision(nn::Precision::fp32, at::kMeta));
  CHECK_NOTHROW(check_precision(nn::Precision::bf16, at::kCPU));
  CHECK_NOTHROW(check_precision(nn::Precision::fp16, at::kCPU));
  CHECK_THROWS_WITH(check_precision(nn::Precision::fp16, at::kMeta), Contains("fp16 cannot be computed on 'meta'"));
}

TEST_CASE("what a model elsewhere is trained to has the bits of one here", "[train][device]") {
  for (const Json& trial : {digits_trial(), rich_trial()}) CHECK(trained(trial, kApart) == trained(trial, {}));
}

TEST_CASE("a checkpoint goes on anywhere, wherever it was made", "[train][device][resume]") {
  const std::string whole = trained(rich_trial(), {});
  const bool began_apart = GENERATE(true, false), ended_apart = GENERATE(true, false);
  const std::string first = trained(rich_trial(), began_apart ? kApart : Placement(), {}, 1);
  CHECK(trained(rich_trial(), ended_apart ? kApart : Placement(), first) == whole);
}

TEST_CASE("a GPU trains to the CPU's weights but for rounding", "[.gpu]") {
  for (const Json& trial : {digits_trial(), rich_trial()})
    CHECK(difference(trained(trial, gpu()), trained(trial, {})) < 1e-3);
}

TEST_CASE("steps taken where the model is end where the optimiser's do, but for rounding", "[train][device]") {
  for (const Json& trial : stepping_trials()) {
    INFO(trial.dump());
    CHECK(difference(trained(trial, kSteps), trained(trial, {})) < (trial.contains("precision") ? 2e-2 : 1e-5));
  }
}

TEST_CASE("steps taken where the model is are the same ones however training is cut", "[train][device][resume]") {
  for (const Json& trial : stepping_trials()) {
    INFO(trial.dump());
    CHECK(trained(trial, kSteps, trained(trial, kSteps, {}, 1)) == trained(trial, kSteps));
  }
}

TEST_CASE("an optimiser without kernels steps on the CPU", "[train][device]") {
  Json trial = digits_trial();
  trial["optimizer"] = {{"op", "lamb"}, {"lr", 0.01}};
  CHECK(trained(trial, kSteps) == trained(trial, {}));
}

TEST_CASE("a GPU gives the same bits every time, however training is cut", "[.gpu]") {
  std::vector<Json> trials = stepping_trials();
  trials.push_back(digits_trial());
  trials.back()["precision"] = "fp16";
  for (const Json& trial : trials) {
    INFO(trial.dump());
    const std::string whole = trained(trial, gpu());
    CHECK(trained(trial, gpu()) == whole);
    CHECK(trained(trial, gpu(), trained(trial, gpu(), {}, 1)) == whole);
  }
}

}  // namespace device_test
