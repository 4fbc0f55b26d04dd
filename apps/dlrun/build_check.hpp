// SPDX-License-Identifier: Apache-2.0
// `dlrun check --build`: every variant made once and trained for a step of two examples, as a table.
#pragma once
#include "report/report.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::cli {

struct BuildCheck {
  report::Table table;  ///< a row for each variant of an ablation; else one for the search's first point
  bool is_fine = true;  ///< all could be built, and trained with a finite loss
};

/// @throws Error(usage) for a study that trains nothing, Error where no worker can be started or it has no trainer.
BuildCheck check_build(const spec::StudySpec& spec);

}  // namespace dlrun::cli
