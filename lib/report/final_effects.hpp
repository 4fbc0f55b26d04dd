// SPDX-License-Identifier: Apache-2.0
// Effects of warm starts beside fresh weights, by seed, with p corrected over the rivals.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "report/final_runs.hpp"
#include "statistics/paired.hpp"

namespace dlrun::report {

inline constexpr double kFinalAlpha = 0.05;  ///< level of every verdict on a final training

/// A number of one training; nullopt: it has none.
using Read = std::function<std::optional<double>(const FinalTraining&)>;

/// With those of the race that chose its start.
std::optional<double> epochs_to_target(const FinalTraining& t);
std::optional<double> metric_at_end(const FinalTraining& t);
std::optional<double> metric_of_test(const FinalTraining& t);

/// Trainings that reached the target.
std::ptrdiff_t reaching_of(const FinalArm& arm);

std::vector<double> values_by(const FinalArm& arm, const Read& read);

/// Effects of every arm but the first beside it; nullopt: fewer than two pairs.
using Effects = std::vector<std::optional<statistics::Effect>>;

/// p values corrected by Holm over the effects there are; 1 where there is no effect.
std::vector<double> corrected(const Effects& effects, const std::function<double(const statistics::Effect&)>& p_of);

/// Effects with their p, corrected by Holm over them.
struct FinalEffects {
  Effects effects;
  std::vector<double> p;
};

/// Logarithm of the times fewer epochs that each arm takes to the target than the first.
FinalEffects speed_ups(const FinalStudy& study);
/// Change of a number from the first arm to each other, by seed.
FinalEffects changes_by(const FinalStudy& study, const Read& read);

/// p of the claim that an arm ends as the first does, within the study's `points` (two one-sided tests), corrected.
std::vector<double> equivalence_p(const FinalStudy& study, const Effects& effects);

bool has_test(const FinalStudy& study);

}  // namespace dlrun::report
