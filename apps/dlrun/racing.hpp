// SPDX-License-Identifier: Apache-2.0
// The race between the best trials of a search, where the study has `winner:`.
#pragma once
#include "arguments.hpp"
#include "output/console.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::cli {

/// Runs the race of a search that is over, unless it has been run, and notes its winner with the search.
/// @return as run_study()
int race_after_search(const spec::StudySpec& search, const Arguments& arguments, Console& console);

/// A race that is over: notes its winner with the search. @return the search, if it is in the store
std::optional<spec::StudySpec> end_of_race(const spec::StudySpec& race, const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
