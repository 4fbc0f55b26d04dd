// SPDX-License-Identifier: Apache-2.0
// The section `executor:` of a study: this machine, Slurm, or a plugin.
#pragma once
#include <string>

#include "options/key.hpp"
#include "spec/reading.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

struct StudySpec;

/// Key of the section: a word, or the one executor's name with its keys. Plugins have some keys of dlrun's beside
/// theirs.
options::Key executor_key();

/// Leaves the one executor that was written, and checks that there are not two.
void settle_executor(Json& study, Faults& faults);

/// Takes the section of a normal form into the spec.
void take_executor(const Json& study, StudySpec& spec);

}  // namespace dlrun::spec
