// SPDX-License-Identifier: Apache-2.0
// bench_trainer NET STEPS: microseconds per optimiser step of the built-in trainer, reports and checkpoints included.
// NET: digits (64-128-10, batch 32) or lenet (LeNet-5 on 28x28, batch 64). The same loop in Python:
// peers/torch_train.py.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include "train/checkpoint_folder.hpp"
#include "train/memory.hpp"
#include "train/training.hpp"
#include "util/random.hpp"

using namespace dlrun;

namespace {

struct Net {
  std::vector<std::int64_t> input;
  std::int64_t examples, batch_size;
  Json nodes;
};

Net digits() {
  return {{64},
          1280,
          32,
          {{{"name", "fc1"}, {"op", "linear"}, {"out", 128}},
           {{"name", "act1"}, {"op", "relu"}},
           {{"name", "head"}, {"op", "linear"}, {"out", 10}}}};
}

Net lenet() {
  return {{1, 28, 28},
          6400,
          64,
          {{{"name", "conv1"}, {"op", "conv2d"}, {"out", 6}, {"k", 5}, {"pad", 2}},
           {{"name", "act1"}, {"op", "relu"}},
           {{"name", "pool1"}, {"op", "maxpool"}, {"k", 2}},
           {{"name", "conv2"}, {"op", "conv2d"}, {"out", 16}, {"k", 5}},
           {{"name", "act2"}, {"op", "relu"}},
           {{"name", "pool2"}, {"op", "maxpool"}, {"k", 2}},
           {{"name", "flat"}, {"op", "flatten"}},
           {{"name", "fc1"}, {"op", "linear"}, {"out", 120}},
           {{"name", "act3"}, {"op", "relu"}},
           {{"name", "fc2"}, {"op", "linear"}, {"out", 84}},
           {{"name", "act4"}, {"op", "relu"}},
           {{"name", "head"}, {"op", "linear"}, {"out", 10}}}};
}

dataset::Dataset noise(const Net& net) {
  dataset::Dataset d;
  d.schema.input = net.input;
  d.schema.classes = 10;
  d.schema.sha256 = "noise";
  std::int64_t width = 1;
  for (const std::int64_t size : net.input) width *= size;
  RandomStream stream(1, {"bench"});
  for (std::int64_t i = 0; i < net.examples * width; ++i) d.inputs.push_back(float(stream.uniform()));
  for (std::int64_t i = 0; i < net.examples; ++i) {
    d.labels.push_back(std::int64_t(stream.below(10)));
    d.train.push_back(i);
  }
  return d;
}

train::Training training_of(const Net& net) {
  train::Config config;
  config.epochs = 1'000'000;
  config.batch_size = net.batch_size;
  config.optimizer.lr = 0.01;
  config.optimizer.momentum = 0.9;
  config.metrics = {"accuracy"};
  const model::Graph graph = model::build({{"nodes", net.nodes}}, {{{"x", net.input}}, 10, 1});
  return train::Training(config, graph, std::make_shared<data::Data>(noise(net)), {7, 0}, {"val.loss", false, false});
}

void steps(train::Training& training, train::CheckpointFolder& folder, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (!training.has_batch()) {
      training.finish_epoch([] {});
      if (folder.is_due()) folder.save(training.encode(), training.state().step, false);
    }
    training.step();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc == 3 ? argv[1] : "";
  if (name != "digits" && name != "lenet") {
    std::fprintf(stderr, "usage: bench_trainer digits|lenet STEPS\n");
    return 2;
  }
  train::keep_freed_memory();
  at::set_num_threads(1);
  const std::int64_t count = std::atoll(argv[2]);
  char folder_name[] = "/tmp/dlrun-bench-XXXXXX";
  train::CheckpointFolder folder(mkdtemp(folder_name));
  train::Training training = training_of(name == "digits" ? digits() : lenet());
  steps(training, folder, count / 10 + 10);
  const auto begin = std::chrono::steady_clock::now();
  steps(training, folder, count);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::filesystem::remove_all(folder_name);
  std::printf("%s: us per step %.2f\n", name.c_str(), 1e6 * seconds / double(count));
  return 0;
}
