// SPDX-License-Identifier: Apache-2.0
// Plan of a study, as tables: how many trials, which model, how much work and disk.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::plan {

/// Facts of the store.
struct Known {
  std::vector<std::string> lessons = {};           ///< from earlier studies, one line for each
  std::optional<std::int64_t> program_bytes = {};  ///< most memory that a trial of this study has held
};

/// "plan" (what, value) and, for a network, "model" (layer by layer).
std::vector<report::Table> plan_tables(const spec::StudySpec& spec, const Known& known = {});

/// Trials and epochs of a search by its study's own limits.
struct Work {
  std::optional<std::int64_t> trials;           ///< at most; nullopt: no end by itself
  double epochs = 0;                            ///< expected, all trials together
  double most_epochs = 0;                       ///< epochs if nothing is pruned
  std::optional<double> trials_of_epochs = {};  ///< fewer than `trials`, if limits.epochs ends the search before them
};
Work expected_work(const spec::StudySpec& spec);

}  // namespace dlrun::plan
