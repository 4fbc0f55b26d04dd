// SPDX-License-Identifier: Apache-2.0
// A study's base trial, timed layer by layer by a worker program of its own: libtorch stays out of this process.
#pragma once
#include <filesystem>

#include "spec/study_spec.hpp"
#include "trial/profile.hpp"

namespace dlrun::driver {

/// What the worker complains of goes to standard error.
/// @param worker_binary  empty: dlrun-worker beside this program
/// @throws Error(usage) for a study that trains nothing; Error(no_worker) where the worker cannot be started; else an
/// Error of the kind the worker ended with, whose words are on standard error already.
trial::ModelProfile profile(const spec::StudySpec& spec, const trial::ProfileOptions& options,
                            const std::filesystem::path& worker_binary = {});

}  // namespace dlrun::driver
