// SPDX-License-Identifier: Apache-2.0
// bench_trainer STUDY.yaml DATA STEPS [DEVICE]: microseconds per optimiser step of the built-in trainer, all that a
// worker does between two steps included: batches from the data set, metrics, the validation split after an epoch,
// checkpoints when due. DATA is the folder with the data sets, DEVICE cpu or cuda. One thread, the base configuration
// of the study.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <ATen/Parallel.h>

#include "data/data.hpp"
#include "spec/study_spec.hpp"
#include "train/checkpoint_folder.hpp"
#include "train/device.hpp"
#include "train/memory.hpp"
#include "train/training.hpp"
#include "util/error.hpp"

using namespace dlrun;

namespace {

train::Training training_of(const spec::Source& source, at::Device device) {
  const spec::StudySpec spec = spec::read(source);
  const Json& trial = spec.json.at("trial");
  const std::shared_ptr<const data::Data> data = data::load_shared(trial.at("data"), spec.seed);
  const train::Config config = train::read_config(trial, data->schema());
  return train::Training(config, *spec.base_model, data, {spec.seed, 0}, {"val.loss", false, false}, {device});
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

at::Device device_called(const std::string& name) {
  const train::DeviceChoice choice = train::choose_device(name, name == "cpu" ? train::Gpus{} : train::find_gpus({}));
  if (!choice.warning.empty()) throw Error(ErrorKind::usage, choice.warning);
  return choice.device;
}

double microseconds(const spec::Source& source, at::Device device, const std::filesystem::path& folder,
                    std::int64_t count) {
  train::CheckpointFolder checkpoints(folder);
  train::Training training = training_of(source, device);
  steps(training, checkpoints, count / 10 + 3);
  const auto begin = std::chrono::steady_clock::now();
  steps(training, checkpoints, count);
  return 1e6 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / double(count);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5 || std::atoll(argv[3]) < 1) {
    std::fprintf(stderr, "usage: bench_trainer STUDY.yaml DATA STEPS [DEVICE]\n");
    return 2;
  }
  train::keep_freed_memory();
  at::set_num_threads(1);
  char folder[] = "/tmp/dlrun-bench-XXXXXX";
  if (mkdtemp(folder) == nullptr) return 1;
  try {
    const at::Device device = device_called(argc == 5 ? argv[4] : "cpu");
    std::printf("us per step %.2f\n",
                microseconds({.file = argv[1], .data_folders = {argv[2]}}, device, folder, std::atoll(argv[3])));
  } catch (const Error& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    return 2;
  }
  std::filesystem::remove_all(folder);
  return 0;
}
