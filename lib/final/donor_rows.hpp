// SPDX-License-Identifier: Apache-2.0
// Rows on which donors were trained, which say nothing about what begins with their weights.
#pragma once
#include <filesystem>
#include <vector>

#include "warmstart/same_rows.hpp"
#include "warmstart/settings.hpp"

namespace dlrun::final {

/// @param now  division of the final training's rows
/// @throws Error(usage) E409 where rows of a donor's training may validate or test there
void require_unseen_rows(const std::filesystem::path& store, const std::vector<warmstart::Donor>& donors,
                         const warmstart::Division& now);

/// The study's seed.
std::uint64_t seed_of(const std::filesystem::path& store, const std::string& study);

}  // namespace dlrun::final
