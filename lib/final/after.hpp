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

/// Digest of `final:` in its normal form, by which a final training knows the section that asked for it.
std::string digest_of(const Json& section);

/// A final training that a search asks for.
struct Following {
  std::string trial;   ///< trial whose configuration is trained, "search/3"
  std::string digest;  ///< digest_of() its section; empty: any
};

/// Name of the newest final training like this one that was begun, or for whose start a race was begun; else of a new
/// one. A search that has gone on may have another best trial, and its file another section: then the final training is
/// another study, with a number behind its name, as where a study that is none of its own has the name. A final
/// training without a digest fits every section.
std::string name_for(const std::filesystem::path& store, const spec::StudySpec& search, const Following& wanted);

/// A final training of this name, or a race for its start, as it was begun; nullopt: the store has none of this search.
std::optional<spec::StudySpec> begun(const std::filesystem::path& store, const std::string& name,
                                     const spec::StudySpec& search);

}  // namespace dlrun::final
