// SPDX-License-Identifier: Apache-2.0
// How the workers of a study are to be had from a Slurm cluster.
#pragma once
#include <filesystem>
#include <optional>

#include "driver/driver.hpp"
#include "executor/slurm_executor.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::driver {

/// Settings of the cluster; nullopt: workers are processes of this machine. The run's choice goes before the study's.
std::optional<spec::Slurm> slurm_of(const spec::StudySpec& spec, const Options& options);

/// Options of the cluster's jobs for a study.
/// @param folder   of the store, which the nodes have to see under the same path, as they do the binary
/// @param binary   absolute
/// @param wake_fd  ends the wait of the executor when it becomes readable
/// @throws Error(usage) as executor::runtime_folder()
executor::SlurmOptions slurm_options(const spec::StudySpec& spec, const spec::Slurm& slurm,
                                     const std::filesystem::path& folder, const std::filesystem::path& binary,
                                     const Options& options, int wake_fd);

}  // namespace dlrun::driver
