// SPDX-License-Identifier: Apache-2.0
// How the workers of a study are to be started on this machine.
#pragma once
#include <filesystem>

#include "driver/driver.hpp"
#include "executor/local_executor.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::driver {

/// dlrun-worker: as asked for, else beside this program.
std::filesystem::path worker_binary(const Options& options);

/// Names the folder of the study's socket. @param folder  of the store
std::string socket_identity(const spec::StudySpec& spec, const std::filesystem::path& folder);

/// Options of workers on this machine for a study.
/// @param folder   of the store
/// @param binary   absolute
/// @param wake_fd  ends the wait of the executor when it becomes readable
/// @throws Error(usage) as executor::runtime_folder()
executor::LocalOptions local_options(const spec::StudySpec& spec, const std::filesystem::path& folder,
                                     const std::filesystem::path& binary, int wake_fd);

}  // namespace dlrun::driver
