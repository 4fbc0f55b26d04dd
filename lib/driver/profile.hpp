// SPDX-License-Identifier: Apache-2.0
// A study's trial, timed layer by layer or merely built, by a worker program of its own: libtorch stays out of this
// process.
#pragma once
#include <filesystem>

#include "spec/study_spec.hpp"
#include "trial/build.hpp"
#include "trial/profile.hpp"

namespace dlrun::driver {

/// Profiles the spec's trial in a worker program, whose complaints go to standard error.
/// @param worker_binary  empty: dlrun-worker beside this program
/// @throws Error(usage) for a study that trains nothing; Error(no_worker) if the worker cannot be started; else an
/// Error of the kind the worker ended with, whose words are on standard error already.
trial::ModelProfile profile(const spec::StudySpec& spec, const trial::ProfileOptions& options,
                            const std::filesystem::path& worker_binary = {});

/// Makes the trial with `sets` ({place: value}) and takes a step of two examples on the CPU, in a worker program of its
/// own. The answer says what is wrong with the trial, even if the worker died of it.
/// @throws Error(usage) for a study that trains nothing, else as profile().
trial::BuiltModel build(const spec::StudySpec& spec, const Json& sets, const std::filesystem::path& worker_binary = {});

/// Settings of the search's first point, {place: value}. REQUIRES: no ablation.
Json first_sets(const spec::StudySpec& spec);

}  // namespace dlrun::driver
