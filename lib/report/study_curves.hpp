// SPDX-License-Identifier: Apache-2.0
// Learning curves of a study's trials: which of them are shown, and their values. Pictures and pages show the same
// ones.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "report/opened.hpp"
#include "trial/trial.hpp"

namespace dlrun::report {

/// A metric of a trial by epoch, the mean over its members; NaN where one of them is not finite.
struct StudyCurve {
  std::int64_t trial = 0;
  trial::TrialState state = trial::TrialState::waiting;
  std::vector<double> steps, values;
};

struct StudyCurves {
  std::string metric;
  std::vector<StudyCurve> curves;  ///< the best trial's first
  std::string choice;              ///< "the best 30 of 900 trials, and 30 of the others, evenly by rank"
};

/// Curves of trials that have a result and two epochs or more: of at most 60 trials all, of more the best 30, and 30 of
/// the others at equal distances by rank.
/// @param objective  name of an objective; empty: the first. @throws Error(usage) for a name that is none
/// @param points     of a curve at most, evenly spaced, with its last
StudyCurves study_curves(const OpenedStudy& study, const std::string& objective, std::size_t points);

}  // namespace dlrun::report
