// SPDX-License-Identifier: Apache-2.0
// Plan of an ablation, as tables: every variant, how many runs, how much work.
#pragma once
#include <string>
#include <vector>

#include "report/report.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::plan {

bool is_ablation(const spec::StudySpec& spec);

/// "plan" (what, value), "variants" (what is left out, parameters, operations, what else changes), and what of the
/// design is not trained. REQUIRES: is_ablation.
std::vector<report::Table> ablation_tables(const spec::StudySpec& spec);

/// Names of the variants that the second of these shows, the baseline first. REQUIRES: is_ablation.
std::vector<std::string> shown_variants(const spec::StudySpec& spec);

}  // namespace dlrun::plan
