// SPDX-License-Identifier: Apache-2.0
// Trials whose ranks are processes: what they need, and whether they give the same results again.
#pragma once
#include "spec/study_spec.hpp"

namespace dlrun::spec {

/// May ranks of some trial be processes?
bool has_processes(const Json& study);

/// Processes that train one trial, at most, by the base trial's method.
int processes_of(const StudySpec& spec);

/// Cores that a trial's processes need, all together.
int cores_of(const StudySpec& spec);

/// Why a configured trial need not measure the same again; empty: it does.
std::string unsteady_reason(const Json& trial);

/// Whether some trial's outcome depends on which rank is faster.
bool has_racing_ranks(const Json& study);

/// False where some trial's outcome depends on which rank is faster: then a retry may measure something else.
bool repeats(const StudySpec& spec);

}  // namespace dlrun::spec
