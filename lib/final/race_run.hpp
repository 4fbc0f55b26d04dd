// SPDX-License-Identifier: Apache-2.0
// The race between the best trials of a search, a study of its own.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "spec/study_spec.hpp"
#include "util/json.hpp"

namespace dlrun::final {

struct RaceRun {
  Json study;  ///< an ablation of design race, to be written as YAML
  /// Trials of the search: completed ones, the best first, then those that were pruned latest.
  std::vector<std::int64_t> candidates;
};

/// Name of the race that follows a search; a later one, after an amendment, has a number.
std::string race_name(const std::filesystem::path& store, const std::string& search);

/// The race of a search that is over. nullopt: its winner is known. @throws Error(usage) where fewer than two
/// configurations have measured anything.
std::optional<RaceRun> plan_race(const std::filesystem::path& store, const std::string& search,
                                 const spec::Winner& winner);

}  // namespace dlrun::final
