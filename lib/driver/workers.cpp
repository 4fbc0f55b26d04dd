// SPDX-License-Identifier: Apache-2.0
#include "driver/workers.hpp"

#include "executor/gpu_slots.hpp"
#include "executor/runtime_folder.hpp"
#include "spec/gang_processes.hpp"
#include "trial/kinds.hpp"
#include "util/gpus.hpp"

namespace dlrun::driver {

std::filesystem::path worker_binary(const Options& options) {
  if (!options.worker_binary.empty()) return std::filesystem::absolute(options.worker_binary);
  std::error_code fault;
  return std::filesystem::read_symlink("/proc/self/exe", fault).parent_path() / "dlrun-worker";
}

std::string socket_identity(const spec::StudySpec& spec, const std::filesystem::path& folder) {
  return folder.string() + '\n' + spec.name;
}

executor::LocalOptions local_options(const spec::StudySpec& spec, const std::filesystem::path& folder,
                                     const std::filesystem::path& binary, int wake_fd) {
  executor::LocalOptions out;
  out.binary = binary;
  out.folder = executor::runtime_folder(socket_identity(spec, folder));
  out.logs = folder / "studies" / spec.name / "workers";
  out.setup = spec::work_setup(spec, folder / "artifacts");
  out.hang_seconds = trial::runs_program(spec.kind) ? 0 : spec.hang_seconds;  // a program may be silent for hours
  out.pin = spec.pin;
  out.processes = spec::processes_of(spec);
  out.gpus = executor::gpus_for(spec.device, visible_gpus());
  out.gpu_share = spec.gpu_share;
  if (!out.gpus.empty() && spec.device != "auto") out.setup.device = "cuda";  // each worker sees but its own
  out.wake_fd = wake_fd;
  return out;
}

}  // namespace dlrun::driver
