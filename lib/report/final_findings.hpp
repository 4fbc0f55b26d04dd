// SPDX-License-Identifier: Apache-2.0
// Was a warm start worth it? In sentences.
#pragma once
#include "report/final_runs.hpp"

namespace dlrun::report {

/// A sentence for each arm but the first, each with the arm's name, after one that answers.
Table final_findings(const FinalStudy& study);

}  // namespace dlrun::report
