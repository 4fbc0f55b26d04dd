// SPDX-License-Identifier: Apache-2.0
// Number of lanes of a study that leaves it open: `search: {lanes: auto}`.
#pragma once
#include "spec/study_spec.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

inline constexpr int kMostLanes = 4096;

/// Whether the number is still open. @param study  normal form
bool has_auto_lanes(const Json& study);

/// The number for a new study (docs/logical-clock.md has what it costs): as many as workers, at most as many as trials
/// with their members. One trial alone has all its members at once on any machine, for no decision waits for them.
/// @param workers  that the study is created with, at least 1
/// @param study    with a limit of trials, or none
int lanes_for(int workers, const StudySpec& study);

/// The study with this number.
StudySpec with_lanes(const StudySpec& study, int lanes);

}  // namespace dlrun::spec
