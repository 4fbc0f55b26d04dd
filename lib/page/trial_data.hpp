// SPDX-License-Identifier: Apache-2.0
// Trials and parameters of a study as columns of numbers, for the script of a page.
#pragma once
#include <vector>

#include "report/opened.hpp"
#include "util/json.hpp"

namespace dlrun::page {

/// [{name, direction}], the first objective first.
Json objectives_json(const report::OpenedStudy& study);

/// [{name, type: float | int | ordinal | categorical, scale: linear | log, low, high, choices}] without constants.
Json parameters_json(const report::OpenedStudy& study);

/// Names of states by their number.
Json states_json();

/// {number, state, epochs, seconds, attempts, feasible, objectives, params}: lists with one entry for each trial, in
/// the order of their numbers. `feasible` is left out if the study has no bounds. `objectives` and `params` have a
/// list for each objective, and for each parameter of parameters_json(): the value itself, of categorical and ordinal
/// ones the index of the choice. null: no finite value, or a parameter that is not active.
Json trials_json(const report::OpenedStudy& study);

/// The number of trials of the study.
std::int64_t count_trials(const report::OpenedStudy& study);

}  // namespace dlrun::page
