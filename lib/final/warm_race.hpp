// SPDX-License-Identifier: Apache-2.0
// The race that chooses how a final training begins (`policy: race`), a study of its own.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "final/final_run.hpp"
#include "spec/study_spec.hpp"
#include "util/json.hpp"

namespace dlrun::final {

struct WarmArm {
  std::string name;    ///< none, a policy, or finish
  std::string reason;  ///< for taking it, or for leaving it out
  FinalRun whole;      ///< the final training if it wins; empty of arms that are left out
};

struct WarmRace {
  std::string name;
  Json study;                        ///< an ablation of design race, to be written as YAML
  std::vector<WarmArm> arms;         ///< none first
  std::vector<WarmArm> left_out;     ///< arms that the plan would have taken
  std::int64_t epochs = 0;           ///< length of each arm's schedule
  int seeds = 0;                     ///< runs of each arm
  FinalPlan plan;                    ///< the final training
  std::optional<FinalRun> compared;  ///< the final training beside its rivals, as if fresh weights had won

  std::int64_t most_epochs() const { return std::int64_t(arms.size()) * seeds * epochs; }
};

/// A final training that is to be planned.
struct FinalWish {
  std::string study;                   ///< the search
  Json final;                          ///< in its normal form
  std::string name;                    ///< name of the final training
  std::vector<std::string> sets = {};  ///< --set of the final training
};

/// @param wish  whose policy is `race`
/// @throws Error(usage) where an arm that the file names cannot be, where none but fresh weights can, or where the
/// race's schedule is no shorter; Error(not_found).
WarmRace plan_warm_race(const std::filesystem::path& store, const FinalWish& wish);

/// `final` with the decision of its race. nullopt: the race is not over.
/// @throws Error(failures) where every arm has failed.
std::optional<Json> decided_by(const std::filesystem::path& store, const std::string& race, Json final);

/// Name of the race before a final training.
std::string warm_race_name(const std::string& final_training);

/// The final training that a race decides. nullopt: the study is no such race.
std::optional<FinalWish> wish_of(const Json& race);

}  // namespace dlrun::final
