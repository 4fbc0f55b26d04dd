// SPDX-License-Identifier: Apache-2.0
// Checks of the search against the space and the trial.
#pragma once
#include <cstdint>
#include <vector>

#include "spec/reading.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

/// Name of the study: it names files.
void check_name(const Json& study, Faults& faults);

/// Delays of `retry:` fit one another.
void check_retry(const Json& study, Faults& faults);

/// The metrics of `objective:` and `feasible:` are some that trials report; fills in directions. In the normal form one
/// objective is a map, several are a list, and bounds are there where there are some.
void check_objectives(Json& study, const std::vector<std::string>& metrics, Faults& faults);

/// The sampler against the space, when it all ends, and the pruner; fills in what follows.
void check_search(Json& study, Faults& faults);

/// A search that nothing ends gets a number of trials; a grid ends by itself. The limit of time is no such end: it is
/// not part of the hash, so it may not change what is. REQUIRES: check_pruner.
void fill_limits(Json& study, Faults& faults);

/// The pruner's budgets against the epochs, its options against one another; fills in what follows from them.
void check_pruner(Json& study, Faults& faults);

/// Does it begin trials with the weights of others?
bool has_heirs(const Json& pruner);
/// 1 to 100 letters, digits, '.', '_', '-' and '/'.
bool is_metric_name(const std::string& text);

/// The trials of one pass over the pruner's brackets, each bracket's; empty: it has none. REQUIRES: check_pruner.
std::vector<std::int64_t> brackets_of(const Json& pruner, const Faults& faults);

/// Checks that the pruner has enough trials. REQUIRES: check_pruner, and limits are filled in.
void check_pruner_limits(const Json& study, Faults& faults);

}  // namespace dlrun::spec
