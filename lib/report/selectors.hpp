// SPDX-License-Identifier: Apache-2.0
// Names of a study and of trials: `digits/17`, `17` (of the study started last), `last`, `best`, `3-7`, `digits/3-7`.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dlrun::report {

/// A trial, or several numbers in a row, as typed. The numbers of `last`, the newest trial that has started, and `best`
/// are not known yet.
struct TrialRange {
  std::string study;  ///< empty: the one started last
  std::int64_t first = 0;
  std::int64_t past = 0;  ///< one behind the last
  bool is_last = false;
  bool is_best = false;
};

/// @throws Error(usage) for what is no trial, saying what one looks like; a range of more than 100,000 is refused.
TrialRange parse_trials(const std::string& word);

/// Trials of one study, ascending, each once.
struct Trials {
  std::string study;
  std::vector<std::int64_t> numbers;
};

/// Several words. @throws Error(usage) where they name more than one study; Error(not_found) for a study or a trial
/// that is not there.
Trials find_trials(const std::filesystem::path& store, const std::vector<std::string>& words);

/// Names the study, or the one started last for an empty name or `last`.
/// @throws Error(not_found) with the nearest known name, or how to begin where there is none.
std::string find_study(const std::filesystem::path& store, const std::string& name);

/// Names of studies, each of them checked; `all` stands for every study of the store; none: the one started last.
std::vector<std::string> find_studies(const std::filesystem::path& store, const std::vector<std::string>& words);

/// One trial. @throws Error(usage) where the word names a study or several trials.
struct OneTrial {
  std::string study;
  std::int64_t number = 0;
};
OneTrial find_trial(const std::filesystem::path& store, const std::string& word);

/// Trial as by find_trial(), where a study stands for its best trial.
OneTrial find_winner(const std::filesystem::path& store, const std::string& word);

/// A study, or one trial of it (where the word has a slash or is a number).
struct Target {
  std::string study;
  std::optional<std::int64_t> trial;
};
Target find_target(const std::filesystem::path& store, const std::string& word);

}  // namespace dlrun::report
