// SPDX-License-Identifier: Apache-2.0
#include "worker/trainer.hpp"

#include <dlfcn.h>

#include <system_error>

#include "util/error.hpp"

namespace dlrun::worker {

std::filesystem::path program_folder() {
  std::error_code fault;
  return std::filesystem::read_symlink("/proc/self/exe", fault).parent_path();
}

std::unique_ptr<trial::Runner> make_trainer(const std::filesystem::path& folder, const trial::WorkSetup& setup) {
  const std::filesystem::path file = folder / "libdlrun_trainer.so";
  if (!std::filesystem::exists(file)) {
    throw Error(ErrorKind::usage, "a trial of kind 'train' needs '" + file.string() + "', which is not there",
                "build the release preset, which has libtorch; kinds 'function' and 'command' need none");
  }
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(ErrorKind::usage, std::string("cannot load the trainer library: ") + ::dlerror());
  const auto make = reinterpret_cast<trial::MakeTrainer>(::dlsym(library, trial::kTrainerSymbol));
  if (make == nullptr) {
    throw Error(ErrorKind::usage, "'" + file.string() + "' has no symbol '" + trial::kTrainerSymbol + "'");
  }
  std::unique_ptr<trial::Runner> runner(make(trial::kTrainerAbi, setup));
  if (runner == nullptr) {
    throw Error(
        ErrorKind::usage,
        "'" + file.string() + "' was built for another dlrun than trainer ABI " + std::to_string(trial::kTrainerAbi),
        "build dlrun-worker and the trainer together");
  }
  return runner;
}

}  // namespace dlrun::worker
