// SPDX-License-Identifier: Apache-2.0
// A study file as the options of a verb say: --set, --data, DLRUN_DATA, --name.
#pragma once
#include <string>

#include "arguments.hpp"
#include "output/console.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::cli {

/// Reads the file, prints its warnings. @throws Error(usage) with all its faults.
spec::StudySpec read_study(const std::string& file, const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
