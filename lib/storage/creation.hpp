// SPDX-License-Identifier: Apache-2.0
// The file of a new study.
#pragma once
#include <filesystem>

#include "storage/rows.hpp"

namespace dlrun::storage {

/// Built under another name and renamed: nobody ever sees half a study. REQUIRES: the study's lock is held.
/// @throws Error(outside), nothing left behind.
void build_study(const std::filesystem::path& folder, const StudyRow& study, const space::Space& space);

}  // namespace dlrun::storage
