// SPDX-License-Identifier: Apache-2.0
// A study file as the options of a verb say: --set, --data, DLRUN_DATA, --name.
#pragma once
#include <string>
#include <vector>

#include "arguments.hpp"
#include "output/console.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::cli {

/// Reads the file, prints its warnings. @throws Error(usage) with all its faults.
/// @param sets  more of --set, from other options of the verb
spec::StudySpec read_study(const std::string& file, const Arguments& arguments, Console& console,
                           const std::vector<std::string>& sets = {});

}  // namespace dlrun::cli
