// SPDX-License-Identifier: Apache-2.0
// The plan of a final training in words.
#pragma once
#include <string>
#include <vector>

#include "final/final_run.hpp"

namespace dlrun::cli {

/// What is going to happen and why, a line each.
std::vector<std::string> final_text(const final::FinalPlan& plan);

}  // namespace dlrun::cli
