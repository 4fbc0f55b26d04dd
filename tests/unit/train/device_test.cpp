// SPDX-License-Identifier: Apache-2.0
// Which device a trial gets, and that a checkpoint does not show where it was made. No GPU is needed: what one would do
// differently stands behind values here.
#include "train/device.hpp"

#include "data/data.hpp"
#include "support/catch.hpp"
#include "train/training.hpp"
#include "unit/train/support.hpp"
#include "util/error.hpp"

using namespace dlrun;
using namespace dlrun::train;

namespace {

const Gpus kNone{0, "there is no driver"}, kTwo{2, {}};

/// The digits, trained as if the model were on another device, or not.
std::string trained(const Json& trial, bool is_apart, const std::string& from = {}, int until = 3) {
  const auto data = data::load_shared(trial.at("data"), 7);
  const Config config = read_config(trial, data->schema());
  model::Interface interface;
  for (const dataset::Input& input : data->schema().inputs) interface.inputs[input.name] = {input.shape, 0};
  interface.classes = data->schema().classes;
  Training training(config, model::build(config.model, interface), data, {7, 0}, {"val.accuracy", true, true},
                    {.device = at::kCPU, .has_host_copy = is_apart});
  if (!from.empty()) training.restore(SafeTensors(from, "checkpoint"), "checkpoint");
  while (training.state().epoch < until) {
    while (training.has_batch()) training.step();
    training.finish_epoch([] {});
  }
  return training.encode();
}

Json rich_trial() {
  Json trial = digits_trial();
  trial["ema"] = {{"decay", 0.9}};
  trial["clip_norm"] = 0.5;
  trial["accumulate"] = 2;
  return trial;
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
  for (const Json& trial : {digits_trial(), rich_trial()}) CHECK(trained(trial, true) == trained(trial, false));
}

TEST_CASE("a checkpoint goes on anywhere, wherever it was made", "[train][device][resume]") {
  const std::string whole = trained(rich_trial(), false);
  const bool began_apart = GENERATE(true, false), ended_apart = GENERATE(true, false);
  const std::string first = trained(rich_trial(), began_apart, {}, 1);
  CHECK(trained(rich_trial(), ended_apart, first) == whole);
}
