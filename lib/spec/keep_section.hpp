// SPDX-License-Identifier: Apache-2.0
// `keep:`, the trials whose checkpoints stay.
#pragma once
#include <string>

#include "spec/reading.hpp"
#include "spec/study_spec.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

/// Reports contradictions and epochs beyond a trial's end. `all` and `epochs` are left out of the normal form if they
/// say nothing.
void check_keep(Json& study, Faults& faults);

/// A final training needs a checkpoint that the search leaves, and that is still there when it has ended.
void check_final_donors(const StudySpec& spec, Faults& faults);

}  // namespace dlrun::spec
