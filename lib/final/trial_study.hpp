// SPDX-License-Identifier: Apache-2.0
// One trial as a study of its own.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "util/json.hpp"

namespace dlrun::final {

/// YAML text named STUDY-trial-N: the trial's values stand in `trial:` and as constants in the space, and the seed is
/// the study's, so running it measures the same again.
/// @param name  where given, the study's, and what belongs to a search is left out
std::string trial_study(const std::filesystem::path& store, const std::string& study, std::int64_t trial,
                        const std::string& name = {});

/// trial_study() without words, to be changed further.
Json trial_study_json(const std::filesystem::path& store, const std::string& study, std::int64_t trial,
                      const std::string& name = {});

/// YAML of the study with its trial as it was written; what sets no place of it has this trial's values.
std::string default_study(const std::filesystem::path& store, const std::string& study, std::int64_t trial);

/// Weights that a variant under `start_from: baseline` began with, as `init:` of that file; null: from scratch.
/// @param whole  normal form of the study.  @throws Error(usage) where each fold began with another.
Json start_of(const std::filesystem::path& store, const std::string& study, std::int64_t trial, const Json& whole);

/// A trial's settings as a person would write them. @param config  in its normal form
Json concise_trial(const Json& config);

/// Removes from `keep.epochs` those after which a training of so many has ended.
void drop_late_epochs(Json& study, std::int64_t epochs);

}  // namespace dlrun::final
