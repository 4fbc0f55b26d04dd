// SPDX-License-Identifier: Apache-2.0
// A study of the store and all that follows from it, for verbs that read no file: `resume` and `retry`.
#pragma once
#include "arguments.hpp"
#include "output/console.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::cli {

/// Runs the study. A search continues with its race and its final training, a race with the final training of its
/// search or of the start that won. @return as run_study()
int go_on_with(const spec::StudySpec& spec, const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
