// SPDX-License-Identifier: Apache-2.0
// The trainer library, opened when a study trains: everything that needs libtorch is behind it.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>

#include "trial/build.hpp"
#include "trial/plugin_contract.hpp"
#include "trial/profile.hpp"
#include "trial/runner.hpp"
#include "trial/use.hpp"

namespace dlrun::worker {

/// Opens libtorch and the libdlrun_trainer.so that belongs to `folder` (lib/libtorch), and makes its runner.
/// @throws Error(usage) if one of them is missing, cannot be loaded, or was built for another dlrun.
std::unique_ptr<trial::Runner> make_trainer(const std::filesystem::path& folder, const trial::WorkSetup& setup);

/// Serves the first process of a gang as another one of its processes.
/// @param process  nullopt: the first one of a host of a Slurm step    @return exit code  @throws likewise.
int follow(const std::filesystem::path& folder, std::optional<int> process);

/// Times the steps of a trial. @throws likewise, and as train::profile_trial.
trial::ModelProfile profile_trial(const std::filesystem::path& folder, const trial::WorkSetup& setup,
                                  const trial::PieceOrder& order, const trial::ProfileOptions& options);

/// Builds a trial and takes a step. Faults of the trial are in the answer. @throws likewise, of the library.
trial::BuiltModel build_trial(const std::filesystem::path& folder, const trial::WorkSetup& setup,
                              const trial::PieceOrder& order);

/// Measures or predicts with a checkpoint. @throws likewise, and as train::use_trial.
trial::Use use_trial(const std::filesystem::path& folder, const trial::WorkSetup& setup, const trial::PieceOrder& order,
                     const trial::UseOptions& options, const trial::PredictionFile& to);

/// Runs the contract tests of a plugin. @throws likewise, and as train::test_plugin.
void test_plugin(const std::filesystem::path& folder, const trial::PluginTest& test, const trial::TellVerdict& tell);

/// Folder of the running program.
std::filesystem::path program_folder();

}  // namespace dlrun::worker
