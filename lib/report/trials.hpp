// SPDX-License-Identifier: Apache-2.0
// Facts of a stored study as values, for callers that compute with them; tables are for people.
// REQUIRES, everywhere: the store has the study.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trial/trial.hpp"

namespace dlrun::report {

/// State as the study's driver left it: running, finished, stopped or interrupted; nullopt: no driver has started it.
std::optional<std::string> study_state(const std::filesystem::path& store, const std::string& study);

/// One more than the newest trial's number.
std::int64_t trial_count(const std::filesystem::path& store, const std::string& study);

/// The newest trial that has started; while none has, the newest one; nullopt: the study has no trial.
std::optional<std::int64_t> last_trial(const std::filesystem::path& store, const std::string& study);

/// Best trial by the rule of study/best.hpp; nullopt: no trial may be called the best yet.
std::optional<std::int64_t> best_trial(const std::filesystem::path& store, const std::string& study);

/// Best trial with its objective, and its true value estimated without the luck of having been chosen.
struct ShrunkenBest {
  std::int64_t trial = 0;
  std::string metric;
  double measured = 0;
  double value = 0;
  double low = 0;  ///< 95 % interval
  double high = 0;
  std::int64_t contenders = 0;  ///< completed trials that it was chosen among
};
/// nullopt: no trial has completed, or nothing tells the luck of a trial.
std::optional<ShrunkenBest> shrunken_best(const std::filesystem::path& store, const std::string& study);

/// The front of a study with several objectives, best by the first objective first; empty for one objective.
std::vector<std::int64_t> front_trials(const std::filesystem::path& store, const std::string& study);

/// Numbers of the trials in this state, ascending.
std::vector<std::int64_t> trials_in(const std::filesystem::path& store, const std::string& study,
                                    trial::TrialState state);

/// A trial's state as the view `trials` shows it: a decided piece that no worker has yet makes it waiting.
/// REQUIRES: the study has the trial.
trial::TrialState shown_state(const std::filesystem::path& store, const std::string& study, std::int64_t trial);

}  // namespace dlrun::report
