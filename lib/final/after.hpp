// SPDX-License-Identifier: Apache-2.0
// Whether a final training follows a study, and whether it was begun.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "spec/study_spec.hpp"

namespace dlrun::final {

/// `final:` of the study in its normal form; null if no training follows: the study has none, is an ablation, or is a
/// final training itself.
Json section_after(const spec::StudySpec& spec);

/// Name of the study that follows.
std::string name_after(const spec::StudySpec& spec);

/// Name of the final training of this trial, "search/3", as it was begun, else of a new one: a search that has gone on
/// may have another best trial, and then its final training is another study, with a number behind its name.
std::string name_for(const std::filesystem::path& store, const spec::StudySpec& spec, const std::string& trial);

/// The newest final training of this study as it was begun; nullopt: the store has none.
std::optional<spec::StudySpec> begun_after(const std::filesystem::path& store, const spec::StudySpec& spec);

/// Likewise the race for its start, which may be begun when the final training is not.
std::optional<spec::StudySpec> begun_race_after(const std::filesystem::path& store, const spec::StudySpec& spec);

}  // namespace dlrun::final
