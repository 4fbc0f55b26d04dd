// SPDX-License-Identifier: Apache-2.0
// A study's trial, timed layer by layer or merely built, by a worker program of its own: libtorch stays out of this
// process.
#pragma once
#include <filesystem>

#include "spec/study_spec.hpp"
#include "trial/build.hpp"
#include "trial/profile.hpp"

namespace dlrun::driver {

/// What the worker complains of goes to standard error.
/// @param worker_binary  empty: dlrun-worker beside this program
/// @throws Error(usage) for a study that trains nothing; Error(no_worker) where the worker cannot be started; else an
/// Error of the kind the worker ended with, whose words are on standard error already.
trial::ModelProfile profile(const spec::StudySpec& spec, const trial::ProfileOptions& options,
                            const std::filesystem::path& worker_binary = {});

/// Makes the trial with `sets` ({place: value}) and takes a step of two examples on the CPU, in a worker program of its
/// own. What is wrong with the trial is in the answer, also where the worker died of it.
/// @throws Error(usage) for a study that trains nothing, else as profile().
trial::BuiltModel build(const spec::StudySpec& spec, const Json& sets, const std::filesystem::path& worker_binary = {});

/// What the search's first point sets. REQUIRES: no ablation.
Json first_sets(const spec::StudySpec& spec);

}  // namespace dlrun::driver
