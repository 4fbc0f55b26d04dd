// SPDX-License-Identifier: Apache-2.0
// `constraints:` beside `space:`: what must hold between parameters, known before anything is tried.
#pragma once
#include "space/space.hpp"
#include "spec/reading.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

/// Brings study["constraints"] into its normal form (absent where there is none: texts of linear relations, and
/// {forbid: {name: [values] or {low, high}}}) and checks it: each can be read, excludes something and leaves something,
/// all can hold together, and every conditional parameter can still be active. REQUIRES: the space is read.
void check_constraints(Json& study, Faults& faults);

/// The normal form as values. REQUIRES: no faults.
std::vector<space::Constraint> make_constraints(const Json& constraints, const space::Space& space);

}  // namespace dlrun::spec
