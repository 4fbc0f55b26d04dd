// SPDX-License-Identifier: Apache-2.0
// Plan of an ablation, as tables: every variant, how many runs, how much work.
#pragma once
#include <string>
#include <vector>

#include "report/report.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::plan {

/// "plan" (what, value), "variants" (components, parameters, operations, side effects), and variants that are not
/// trained. REQUIRES: the study is an ablation; shown_variants too.
std::vector<report::Table> ablation_tables(const spec::StudySpec& spec);

/// Epochs of one run of every variant, of all members: a variant has its own where it sets them and the kind of trial
/// heeds that.
double replicate_epochs(const spec::StudySpec& spec);

/// Names of the variants that the second of these shows, the baseline first.
std::vector<std::string> shown_variants(const spec::StudySpec& spec);

}  // namespace dlrun::plan
