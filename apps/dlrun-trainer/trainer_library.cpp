// SPDX-License-Identifier: Apache-2.0
// The doors of libdlrun_trainer.so, which dlrun-worker opens when it first trains, profiles, builds, uses what it
// trained, or tests a plugin.
#include <cstdlib>
#include <memory>

#include "train/build.hpp"
#include "train/contracts/run.hpp"
#include "train/gang_leader.hpp"
#include "train/memory.hpp"
#include "train/profile.hpp"
#include "train/trainer.hpp"
#include "train/use.hpp"

namespace {

/// Caps the instruction set, so that another CPU generation gives the same bits. libtorch, oneDNN and MKL read these at
/// their first use, which is after this.
void be_portable() {
  setenv("ATEN_CPU_CAPABILITY", "avx2", 1);
  setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
  setenv("MKL_CBWR", "AVX2", 1);
}

}  // namespace

/// @return  a Runner, owned by the caller; null where the caller was built for another ABI.
/// @throws dlrun::Error as train::Trainer.
extern "C" __attribute__((visibility("default"))) dlrun::trial::Runner* dlrun_make_trainer(
    int abi, const dlrun::trial::WorkSetup& setup) {
  if (abi != dlrun::trial::kTrainerAbi) return nullptr;
  dlrun::train::keep_freed_memory();
  if (setup.determinism == "portable") be_portable();
  return new dlrun::train::Trainer(setup);
}

/// Serves the first process of a gang as another one of its processes; nullopt: as a host's first one. @return exit
/// code; -1: another ABI
extern "C" __attribute__((visibility("default"))) int dlrun_follow(int abi, std::optional<int> process) {
  if (abi != dlrun::trial::kTrainerAbi) return -1;
  dlrun::train::keep_freed_memory();
  return dlrun::train::follow(process);
}

/// Profiles a trial as a Trainer of this setup would run it. @throws dlrun::Error as train::profile_trial.
extern "C" __attribute__((visibility("default"))) dlrun::trial::ModelProfile* dlrun_profile_trial(
    int abi, const dlrun::trial::WorkSetup& setup, const dlrun::trial::PieceOrder& order,
    const dlrun::trial::ProfileOptions& options) {
  const std::unique_ptr<dlrun::trial::Runner> trainer(dlrun_make_trainer(abi, setup));  // threads, instruction set
  if (trainer == nullptr) return nullptr;
  return new dlrun::trial::ModelProfile(dlrun::train::profile_trial(setup, order, options));
}

/// Builds a trial as a Trainer of this setup would make it. What is wrong with the trial is in the answer.
extern "C" __attribute__((visibility("default"))) dlrun::trial::BuiltModel* dlrun_build_trial(
    int abi, const dlrun::trial::WorkSetup& setup, const dlrun::trial::PieceOrder& order) {
  const std::unique_ptr<dlrun::trial::Runner> trainer(dlrun_make_trainer(abi, setup));  // threads, instruction set
  if (trainer == nullptr) return nullptr;
  return new dlrun::trial::BuiltModel(dlrun::train::build_trial(setup, order));
}

/// Uses a trial's checkpoint as a Trainer of this setup would measure it. @throws dlrun::Error as train::use_trial.
extern "C" __attribute__((visibility("default"))) dlrun::trial::Use* dlrun_use_trial(
    int abi, const dlrun::trial::WorkSetup& setup, const dlrun::trial::PieceOrder& order,
    const dlrun::trial::UseOptions& options, const dlrun::trial::PredictionFile& file) {
  const std::unique_ptr<dlrun::trial::Runner> trainer(dlrun_make_trainer(abi, setup));  // threads, instruction set
  if (trainer == nullptr) return nullptr;
  return new dlrun::trial::Use(dlrun::train::use_trial(setup, order, options, file));
}

/// Runs the contract tests of a plugin. @return false: another ABI. @throws dlrun::Error as train::test_plugin.
extern "C" __attribute__((visibility("default"))) bool dlrun_test_plugin(int abi, const dlrun::trial::PluginTest& test,
                                                                         const dlrun::trial::TellVerdict& tell) {
  if (abi != dlrun::trial::kTrainerAbi) return false;
  dlrun::train::test_plugin(test, tell);
  return true;
}
