// SPDX-License-Identifier: Apache-2.0
// `policy: race` of a final training: a few starts train a short schedule each, and the one that ends best trains the
// whole one.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::warmstart {

inline constexpr std::size_t kMostArms = 3;

/// An arm that is no policy of its own: the donor goes on, and the rest of its schedule spans the run's epochs.
inline constexpr const char* kFinish = "finish";

/// Names of arms: every policy but `partial`, whose settings are its own, and `finish`.
std::vector<std::string> race_arms();

/// `warm_start:` with which an arm of a race or of a comparison begins, without donors.
Json settings_of(const std::string& arm);

/// As settings_of(), on a schedule of another length than the donor's: who resumes there goes through the rest of its
/// schedule.
Json short_settings_of(const std::string& arm);

struct Race {
  std::vector<std::string> arms;       ///< empty: the plan chooses
  std::optional<std::int64_t> epochs;  ///< length of each arm's schedule; nullopt: a quarter of the whole
  int seeds = 2;                       ///< runs of each arm
  std::string decides;                 ///< in the race itself: name of the final training
  std::vector<std::string> sets = {};  ///< in the race itself: --set of the final training
  std::string study, chose;            ///< in the final training: the race, and its winner
  std::int64_t trained = 0;            ///< epochs of all arms together; known when the race is over

  /// Epochs of an arm, where the final training has `whole`.
  std::int64_t arm_epochs(std::int64_t whole) const { return epochs.value_or((whole + 3) / 4); }
};

/// @param start  `final.warm_start` in its normal form.  @return nullopt: its policy is another
std::optional<Race> race_of(const Json& start);

/// The section with the race's decision.
Json decided(Json start, const Race& race);

}  // namespace dlrun::warmstart
