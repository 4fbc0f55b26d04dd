// SPDX-License-Identifier: Apache-2.0
// A study as its store has it: from the versions of its spec to the pure study that its log is applied to.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "spec/study_spec.hpp"
#include "storage/store.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

using Versions = std::vector<storage::StudyRow>;  ///< versions of a study's spec, oldest first

spec::StudySpec spec_of(const storage::StudyRow& row);

/// A study with the spec's sampler and pruner, before its first event.
std::unique_ptr<study::Study> new_study(const spec::StudySpec& spec);

/// An amendment as the study takes it; other events as they are. @throws Error(store) if its version is missing.
study::Event with_meaning(const Versions& versions, const study::Event& event);

/// The study with every row of its log applied. Changes nothing.
/// @throws Error(not_found) if there is no such study; Error(store) if its log is damaged.
std::unique_ptr<study::Study> replayed(const std::filesystem::path& folder, const std::string& study);

}  // namespace dlrun::driver
