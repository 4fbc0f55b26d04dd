// SPDX-License-Identifier: Apache-2.0
#include "driver/gpus_of_worker.hpp"

#include <algorithm>

#include "driver/plugin_jobs.hpp"
#include "driver/slurm.hpp"

namespace dlrun::driver {

namespace {

bool asks_for_gpus(const spec::Slurm& slurm) {
  return !slurm.gres.empty() || std::any_of(slurm.args.begin(), slurm.args.end(), [](const std::string& argument) {
    return argument.starts_with("--gpu") || argument.starts_with("--gres");
  });
}

bool has_gpu(const spec::StudySpec& spec, const Options& options, const std::vector<std::string>& here) {
  if (spec.device.starts_with("cuda")) return true;
  if (spec.device != "auto") return false;
  if (const auto slurm = slurm_of(spec, options)) return spec.gpus || asks_for_gpus(*slurm);
  if (plugin_jobs_of(spec, options)) return spec.gpus.has_value();
  return !here.empty();
}

}  // namespace

double gpus_of_worker(const spec::StudySpec& spec, const Options& options, const std::vector<std::string>& here) {
  return has_gpu(spec, options, here) ? spec.gpu_share * spec.gpus.value_or(1) * spec.nodes : 0;
}

}  // namespace dlrun::driver
