// SPDX-License-Identifier: Apache-2.0
// Whole trainings against Python's PyTorch (tests/golden/torch/trainings.json): averages of the weights, clipping,
// groups, decay and accumulated batches end in PyTorch's weights, and every epoch reports PyTorch's values.
#include <algorithm>
#include <cstring>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "support/catch.hpp"
#include "train/training.hpp"
#include "util/files.hpp"

namespace trainings_golden_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

Json reference() {
  return parse_json(read_file(DLRUN_SOURCE_DIR "/tests/golden/torch/trainings.json"), "trainings.json");
}

dataset::Dataset dataset_of(const Json& all) {
  dataset::Dataset set;
  std::vector<float> numbers;
  for (const Json& row : all.at("inputs")) {
    for (const Json& number : row) numbers.push_back(number.get<float>());
  }
  const auto labels = all.at("labels").get<std::vector<std::int64_t>>();
  const auto width = std::int64_t(all.at("inputs").front().size()), train = all.at("train").get<std::int64_t>();
  for (std::int64_t row = 0; row < std::int64_t(labels.size()); ++row)
    (row < train ? set.train : set.val).push_back(row);
  set.schema.inputs = {{"x", {width}, 0}};
  set.schema.classes = 3;
  set.schema.sha256 = "trainings";
  set.schema.train = train;
  set.schema.val = std::int64_t(set.val.size());
  set.inputs = {dataset::Array::of(std::move(numbers), width)};
  set.targets = dataset::Array::of(labels);
  return set;
}

Json trial_of(const Json& item) {
  Json trial = {{"model", {{"nodes", item.at("nodes")}}}, {"epochs", item.at("epochs").size()}, {"batch_size", 100}};
  trial.update(item.at("settings"));
  trial["data"] = dataset::normalised({{"op", "csv"}, {"path", "in-memory"}, {"target", -1}});
  return trial;
}

void begin_at(const Json& start, Training& training) {
  training.load_initial();
  for (const auto& [name, values] : start.items()) {
    const nn::Parameter* found = training.network().parameters().find(name);
    if (!found) continue;  // no bias before a batch norm
    found->value.copy_(at::tensor(values.get<std::vector<double>>(), at::kDouble).view(found->value.sizes()));
  }
  training.set_weights();
}

std::unique_ptr<Training> beginning_of(const Json& all, const Json& item, bool maximize) {
  at::set_num_threads(1);
  const auto data = std::make_shared<const data::Data>(dataset_of(all));
  const Config config = read_config(trial_of(item), data->schema());
  model::Interface interface { {}, 3 };
  interface.inputs["x"] = {data->schema().input()};
  const Objective objective{maximize ? "val.accuracy" : "val.loss", maximize, true};
  auto training =
      std::make_unique<Training>(config, model::build(config.model, interface), data, nn::Streams{}, objective);
  begin_at(all.at("start"), *training);
  return training;
}

/// Values are float32 after six epochs; PyTorch and libtorch may round differently.
Approx close_to(const Json& value) { return Approx(value.get<double>()).epsilon(1e-4).margin(1e-6); }

void check_epoch(Training& training, const Json& expected, bool with_norm) {
  while (training.has_batch()) training.step(with_norm);
  if (with_norm) CHECK(training.last_step().grad_norm == close_to(expected.at("grad_norm")));
  CHECK(training.last_step().lr == close_to(expected.at("lr")));
  CHECK(training.last_step().loss == close_to(expected.at("train.loss")));
  for (const trial::Metric& metric : training.finish_epoch([] {}).metrics) {
    INFO(metric.name);
    CHECK(metric.value == close_to(expected.at(metric.name)));
  }
}

/// @param kind  "model." | "average."
void check_tensors(const SafeTensors& file, const std::string& kind, const Json& expected) {
  for (const auto& [name, values] : expected.items()) {
    INFO(kind << name);
    const TensorView* found = file.find(kind + name);
    if (!found && kind == "average." && name.find("running") != std::string::npos) continue;  // ema: the model's own
    REQUIRE(found);
    std::vector<float> numbers(found->bytes.size() / sizeof(float));
    std::memcpy(numbers.data(), found->bytes.data(), found->bytes.size());
    REQUIRE(numbers.size() == values.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) CHECK(double(numbers[i]) == close_to(values[i]));
  }
}

/// The first epoch with the best value.
std::int64_t best_epoch(const Json& epochs, bool maximize) {
  const auto is_less = [&](const Json& a, const Json& b) {
    const char* name = maximize ? "val.accuracy" : "val.loss";
    return maximize ? a.at(name) > b.at(name) : a.at(name) < b.at(name);
  };
  return std::min_element(epochs.begin(), epochs.end(), is_less) - epochs.begin() + 1;
}

}  // namespace

TEST_CASE("whole trainings agree with PyTorch, epoch by epoch", "[train][golden]") {
  const Json all = reference();
  CHECK(all.at("cases").size() >= 15);
  const bool with_norm = GENERATE(false, true);  // measuring the norm is not to change a step
  for (const Json& item : all.at("cases")) {
    INFO(item.at("settings"));
    const std::unique_ptr<Training> training = beginning_of(all, item, false);
    for (const Json& expected : item.at("epochs")) check_epoch(*training, expected, with_norm);
    const SafeTensors file(training->encode(), "a checkpoint");
    check_tensors(file, "model.", item.at("end"));
    check_tensors(file, "average.", item.value("average", Json::object()));
  }
}

TEST_CASE("the best epoch is the one with PyTorch's least loss or greatest accuracy", "[train][golden]") {
  const Json all = reference();
  for (const bool maximize : {false, true}) {
    for (const Json& item : all.at("cases")) {
      INFO(item.at("settings") << (maximize ? " accuracy" : " loss"));
      const std::unique_ptr<Training> training = beginning_of(all, item, maximize);
      for (const Json& expected : item.at("epochs")) check_epoch(*training, expected, false);
      REQUIRE(training->state().best);
      CHECK(training->state().best->epoch == best_epoch(item.at("epochs"), maximize));
    }
  }
}

TEST_CASE("the last step of an epoch takes the batches that are left", "[train][golden]") {
  const Json all = reference();
  Json item = all.at("cases").front();
  item["settings"].update({{"batch_size", 4}, {"accumulate", 2}});  // twelve rows, three batches, two steps
  item["settings"]["schedule"] = {{"op", "step"}, {"every", 1}, {"gamma", 0.5}};
  const std::unique_ptr<Training> training = beginning_of(all, item, false);
  for (const double lr : {0.5, 0.25, 0.125}) {
    std::vector<double> rates;
    while (training->has_batch()) {
      training->step();
      rates.push_back(training->last_step().lr);
    }
    CHECK(rates == std::vector<double>{lr, lr});
    training->finish_epoch([] {});
  }
}

}  // namespace trainings_golden_test
