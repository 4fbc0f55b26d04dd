// SPDX-License-Identifier: Apache-2.0
// Plan of a study, as tables: how many trials, which model, how much work and disk.
#pragma once
#include <vector>

#include "report/report.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::plan {

/// "plan" (what, value) and, for a network, "model" (layer by layer).
/// @param lessons  from earlier studies, one line for each
std::vector<report::Table> plan_tables(const spec::StudySpec& spec, const std::vector<std::string>& lessons = {});

/// Trials and epochs of a search by its study's own limits.
struct Work {
  std::optional<std::int64_t> trials;  ///< nullopt: no end by itself
  double epochs = 0;                   ///< expected, all trials together
  double most_epochs = 0;              ///< epochs if nothing is pruned
};
Work expected_work(const spec::StudySpec& spec);

}  // namespace dlrun::plan
