// SPDX-License-Identifier: Apache-2.0
// The plan of a final training in words.
#pragma once
#include <string>
#include <vector>

#include "final/final_run.hpp"

namespace dlrun::cli {

/// The steps of a final training and their reasons, a line each.
std::vector<std::string> final_text(const final::FinalPlan& plan);

}  // namespace dlrun::cli
