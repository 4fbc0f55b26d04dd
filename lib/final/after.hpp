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

/// Name of the final training of this trial, "search/3", as it or the race for its start was begun, else of a new one:
/// a search that has gone on may have another best trial, and then its final training is another study, with a number
/// behind its name.
std::string name_for(const std::filesystem::path& store, const spec::StudySpec& search, const std::string& trial);

/// A final training of this name, or a race for its start, as it was begun; nullopt: the store has none of this search.
std::optional<spec::StudySpec> begun(const std::filesystem::path& store, const std::string& name,
                                     const spec::StudySpec& search);

}  // namespace dlrun::final
