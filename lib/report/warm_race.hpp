// SPDX-License-Identifier: Apache-2.0
// A race for the start of a final training (`policy: race`), as its store has it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dlrun::report {

struct RacedArm {
  std::string name;  ///< none, resume, …
  std::size_t runs = 0;
  double mean = 0;  ///< objective at the end of its schedule, over its runs; of no runs 0
};

struct WarmRaceResult {
  std::string study;
  std::string metric;
  std::int64_t arm_epochs = 0;  ///< length of each arm's schedule
  std::vector<RacedArm> arms;   ///< fresh weights first
  std::string chosen;           ///< arm with the highest mean of those left; empty: the race is not over, or all failed
  bool is_over = false;
  std::int64_t epochs = 0;  ///< trained, all arms together
  double seconds = 0;       ///< seconds of workers

  const RacedArm* arm(const std::string& name) const;
};

/// nullopt: the store has no such race.
std::optional<WarmRaceResult> warm_race(const std::filesystem::path& store, const std::string& study);

/// "`resume` 0.95, `none` 0.93, `shrink_perturb` 0.92": the means in the order of the arms.
std::string means_text(const WarmRaceResult& race);

}  // namespace dlrun::report
