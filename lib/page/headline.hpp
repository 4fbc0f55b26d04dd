// SPDX-License-Identifier: Apache-2.0
// Answer of a study in a few sentences, and its facts in a line.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "report/opened.hpp"

namespace dlrun::page {

/// Question of a study.
enum class Kind { search, ablation, race, final };
Kind kind_of(const report::OpenedStudy& study);
/// "hyperparameter search", "ablation study", "race of variants", "final training", "comparison of final trainings"
const char* words_of(const report::OpenedStudy& study);

/// The answer first; sentences in which backticks mark names.
std::vector<std::string> headline_of(const report::OpenedStudy& study);

/// State, trials by state, time: name and value.
std::vector<std::pair<std::string, std::string>> facts_of(const report::OpenedStudy& study);

}  // namespace dlrun::page
