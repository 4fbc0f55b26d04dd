// SPDX-License-Identifier: Apache-2.0
#include "worker/trainer.hpp"

#include <dlfcn.h>

#include <system_error>

#include "libtorch/load.hpp"
#include "util/error.hpp"

namespace dlrun::worker {

namespace {

/// The symbol of the library, which is opened after the libtorch that it needs. @throws Error(usage).
void* find_symbol(const std::filesystem::path& file, const char* name) {
  if (!std::filesystem::exists(file)) {
    throw Error(ErrorKind::usage, "a trial of kind 'train' needs '" + file.string() + "', which is not there",
                "install dlrun whole, or build the release preset; kinds 'function' and 'command' need no trainer");
  }
  libtorch::load(libtorch::candidates(libtorch::surroundings()));
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(ErrorKind::usage, std::string("cannot load the trainer library: ") + ::dlerror());
  void* symbol = ::dlsym(library, name);
  if (symbol == nullptr) throw Error(ErrorKind::usage, "'" + file.string() + "' has no symbol '" + name + "'");
  return symbol;
}

[[noreturn]] void refuse_abi(const std::filesystem::path& file) {
  throw Error(
      ErrorKind::usage,
      "'" + file.string() + "' was built for another dlrun than trainer ABI " + std::to_string(trial::kTrainerAbi),
      "build dlrun-worker and the trainer together");
}

}  // namespace

std::filesystem::path program_folder() {
  static const std::filesystem::path folder = [] {
    std::error_code fault;
    return std::filesystem::read_symlink("/proc/self/exe", fault).parent_path();
  }();
  return folder;
}

std::unique_ptr<trial::Runner> make_trainer(const std::filesystem::path& folder, const trial::WorkSetup& setup) {
  const std::filesystem::path file = libtorch::trainer_file(folder);
  const auto make = reinterpret_cast<trial::MakeTrainer>(find_symbol(file, trial::kTrainerSymbol));
  std::unique_ptr<trial::Runner> runner(make(trial::kTrainerAbi, setup));
  if (runner == nullptr) refuse_abi(file);
  return runner;
}

int follow(const std::filesystem::path& folder, std::optional<int> process) {
  const std::filesystem::path file = libtorch::trainer_file(folder);
  const auto serve = reinterpret_cast<trial::Follow>(find_symbol(file, trial::kFollowSymbol));
  const int code = serve(trial::kTrainerAbi, process);
  if (code < 0) refuse_abi(file);
  return code;
}

trial::ModelProfile profile_trial(const std::filesystem::path& folder, const trial::WorkSetup& setup,
                                  const trial::PieceOrder& order, const trial::ProfileOptions& options) {
  const std::filesystem::path file = libtorch::trainer_file(folder);
  const auto profile = reinterpret_cast<trial::ProfileTrial>(find_symbol(file, trial::kProfileSymbol));
  const std::unique_ptr<trial::ModelProfile> result(profile(trial::kTrainerAbi, setup, order, options));
  if (result == nullptr) refuse_abi(file);
  return *result;
}

trial::BuiltModel build_trial(const std::filesystem::path& folder, const trial::WorkSetup& setup,
                              const trial::PieceOrder& order) {
  const std::filesystem::path file = libtorch::trainer_file(folder);
  const auto build = reinterpret_cast<trial::BuildTrial>(find_symbol(file, trial::kBuildSymbol));
  const std::unique_ptr<trial::BuiltModel> result(build(trial::kTrainerAbi, setup, order));
  if (result == nullptr) refuse_abi(file);
  return *result;
}

trial::Use use_trial(const std::filesystem::path& folder, const trial::WorkSetup& setup, const trial::PieceOrder& order,
                     const trial::UseOptions& options, const trial::PredictionFile& to) {
  const std::filesystem::path file = libtorch::trainer_file(folder);
  const auto use = reinterpret_cast<trial::UseTrial>(find_symbol(file, trial::kUseSymbol));
  const std::unique_ptr<trial::Use> result(use(trial::kTrainerAbi, setup, order, options, to));
  if (result == nullptr) refuse_abi(file);
  return *result;
}

void test_plugin(const std::filesystem::path& folder, const trial::PluginTest& test, const trial::TellVerdict& tell) {
  const std::filesystem::path file = libtorch::trainer_file(folder);
  const auto run = reinterpret_cast<trial::TestPlugin>(find_symbol(file, trial::kPluginTestSymbol));
  if (!run(trial::kTrainerAbi, test, tell)) refuse_abi(file);
}

}  // namespace dlrun::worker
