// SPDX-License-Identifier: Apache-2.0
// Stochastic weight averaging: against tests/golden/torch/averaging.json (torch.optim.swa_utils), and within trainings.
#include <ATen/ATen.h>

#include "recipe/schedule.hpp"
#include "tensors/weights.hpp"
#include "train/average.hpp"
#include "train/statistics.hpp"
#include "unit/train/support.hpp"
#include "unit/train/walk_cases.hpp"
#include "util/files.hpp"

namespace averaging_test {

using namespace dlrun;
using namespace dlrun::train;
using recipe::Schedule;

namespace {

Json golden() { return parse_json(read_file(DLRUN_SOURCE_DIR "/tests/golden/torch/averaging.json"), "averaging.json"); }

model::Graph network() {
  const Json nodes = parse_json(R"([{"name": "fc", "op": "linear", "out": 4, "bias": false},
    {"name": "bn", "op": "batchnorm"}, {"name": "act", "op": "tanh"}, {"name": "head", "op": "linear", "out": 2}])",
                                "nodes");
  model::Interface interface { {}, 2 };
  interface.inputs["x"] = {3};
  return model::build({{"nodes", nodes}}, interface);
}

at::Tensor tensor_of(const Json& written) {
  const auto values = written.at("values").get<std::vector<double>>();
  return at::tensor(values, at::kDouble).reshape(written.at("shape").get<std::vector<std::int64_t>>());
}

void load(const Json& state, const nn::Parameters& parameters) {
  REQUIRE(state.size() == parameters.all().size());
  for (const nn::Parameter& p : parameters.all()) p.value.copy_(tensor_of(state.at(p.name)));
}

data::Examples batch_of(const Json& rows) {
  data::Examples batch;
  std::vector<double> values;
  for (const Json& row : rows) {
    for (const Json& value : row) values.push_back(value.get<double>());
  }
  batch.inputs = {at::tensor(values, at::kFloat).reshape({std::int64_t(rows.size()), 3})};
  return batch;
}

Json averaged_trial(const char* swa) {
  Json trial = small_trial();
  trial["epochs"] = 5;
  trial["swa"] = parse_json(swa, "swa");
  return trial;
}

SafeTensors checkpoint_of(const Json& trial) { return {finish(*begin({"averaged", "row", trial})), "a checkpoint"}; }

}  // namespace

TEST_CASE("averaged weights and renewed statistics are PyTorch's", "[train][swa][golden]") {
  const Json model = golden().at("model");
  const model::Graph graph = network();
  nn::GraphModule module(graph, {});
  Average average(module.parameters(), true);
  for (std::size_t i = 0; i < model["states"].size(); ++i) {
    load(model["states"][i], module.parameters());
    average.add(module.parameters(), std::int64_t(i));
  }
  average.swap(module.parameters());
  reset_statistics(graph, module.parameters());
  for (const Json& rows : model["batches"]) add_statistics(module, batch_of(rows), 0);
  for (const nn::Parameter& p : module.parameters().all()) {
    INFO(p.name);
    CHECK(at::allclose(p.value.to(at::kDouble), tensor_of(model["end"].at(p.name)), 1e-6, 1e-7));
  }
  average.swap(module.parameters());
  const nn::Parameter& last = *module.parameters().find("bn.running_mean");
  CHECK(at::equal(last.value, tensor_of(model["states"].back().at("bn.running_mean")).to(at::kFloat)));
}

TEST_CASE("the rate of the averaged part is PyTorch's", "[train][swa][golden]") {
  const Json all = golden();
  const auto epochs = all.at("epochs").get<std::int64_t>(), per_epoch = all.at("steps_per_epoch").get<std::int64_t>();
  for (const Json& item : all.at("rates")) {
    INFO(item.at("swa"));
    const Json trial = {{"epochs", epochs}, {"swa", item.at("swa")}};
    Schedule schedule(recipe::read_schedule({{"schedule", "cosine"}}, true), all.at("lr").get<double>(), epochs,
                      per_epoch);
    schedule.end_in(read_config(trial, {}).swa.value());
    for (std::int64_t step = 0; step < epochs * per_epoch; ++step) {
      INFO(step);
      CHECK(schedule.lr(step) == Approx(item["lr"][std::size_t(step)].get<double>()).epsilon(1e-9));
    }
  }
}

TEST_CASE("going on within the averaged part ends in the same bits", "[train][swa][walk]") {
  for (const char* swa :
       {R"({"start": 0.4})", R"({"start": 0, "every": 2})", R"({"start": 0.5, "lr": 0.01, "anneal_epochs": 2})"}) {
    for (const char* schedule : {R"({"op": "cosine"})", R"({"op": "plateau", "patience": 0, "threshold": 0.3})"}) {
      Walk walk{std::string(swa) + schedule, "row", averaged_trial(swa)};
      walk.trial["schedule"] = parse_json(schedule, "schedule");
      check_every_cut(walk);
      check_beside_another(walk);
    }
  }
  Walk images{"images", "image", averaged_trial(R"({"start": 0.4})")};
  images.batches = {{"augment", {{{"op", "flip"}}, {{"op", "mixup"}}}}, {"prefetch", 1}};
  images.trial["model"]["nodes"] = {{{"op", "conv2d"}, {"out", 4}, {"k", 3}},
                                    {{"op", "batchnorm"}},
                                    {{"op", "instancenorm"}, {"track_running_stats", true}},
                                    {{"op", "flatten"}},
                                    {{"op", "linear"}, {"out", "outputs"}}};
  check_every_cut(images);
}

TEST_CASE("a stop while statistics are renewed loses nothing", "[train][swa][walk]") {
  const Walk walk{"stopped", "row", averaged_trial(R"({"start": 0.4})")};
  const std::string whole = finish(*begin(walk));
  const std::unique_ptr<Training> training = begin(walk);
  int ticks = 0;
  const auto tick = [&ticks] {
    if (++ticks == 3 || ticks == 8 || ticks == 14) throw trial::Stopped{};
  };
  while (training->state().epoch < training->config().epochs) {
    while (training->has_batch()) training->step();
    std::string saved = training->encode();
    try {
      training->finish_epoch([&] {
        CHECK(training->encode() == saved);
        tick();
      });
    } catch (const trial::Stopped&) {
      CHECK(training->encode() == saved);
    }
  }
  CHECK(training->encode() == whole);
}

TEST_CASE("the average is what is measured and what a checkpoint gives away", "[train][swa]") {
  const Json trial = averaged_trial(R"({"start": 0.4})");
  const SafeTensors plain = checkpoint_of(small_trial()), averaged = checkpoint_of(trial);
  CHECK_FALSE(plain.find("average.fc.weight"));
  REQUIRE(averaged.find("average.fc.weight"));
  CHECK(averaged.find("average.fc.weight")->bytes != averaged.find("model.fc.weight")->bytes);
  CHECK(averaged.find("average.bn.running_mean")->bytes != averaged.find("model.bn.running_mean")->bytes);
  std::int64_t batches = 0;  // of an epoch, not of all five
  std::memcpy(&batches, averaged.find("average.bn.num_batches_tracked")->bytes.data(), sizeof batches);
  CHECK(batches == 4);
  for (const tensors::TensorView& weight : tensors::weights_of(averaged)) {
    INFO(weight.name);
    CHECK(weight.bytes == averaged.find("average." + weight.name)->bytes);
  }
}

TEST_CASE("before it begins nothing is averaged", "[train][swa]") {
  const std::unique_ptr<Training> training = begin({"late", "row", averaged_trial(R"({"start": 0.4})")}),
                                  plain = begin({"plain", "row", averaged_trial("{}")});
  for (Training* each : {training.get(), plain.get()}) {
    for (int epoch = 0; epoch < 2; ++epoch) {
      while (each->has_batch()) each->step();
      each->finish_epoch([] {});
    }
  }
  CHECK((training->state().reports == plain->state().reports));
  CHECK_FALSE(SafeTensors(training->encode(), "a checkpoint").find("average.fc.weight"));
  while (training->has_batch()) training->step();
  training->finish_epoch([] {});
  CHECK(SafeTensors(training->encode(), "a checkpoint").find("average.fc.weight"));
}

TEST_CASE("an average that is none is refused", "[train][swa]") {
  CHECK_THROWS_WITH(begin({"late", "row", averaged_trial(R"({"start": 0.9})")}), Contains("swa.start"));
  Json both = averaged_trial(R"({"start": 0.4})");
  both["ema"] = {{"decay", 0.9}};
  CHECK_THROWS_WITH(begin({"both", "row", both}), Contains("there is an ema already"));
}

}  // namespace averaging_test
