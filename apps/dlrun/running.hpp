// SPDX-License-Identifier: Apache-2.0
// Steps that `tune`, `resume` and `retry` share: run a study, show its progress, print where it ended.
#pragma once
#include <vector>

#include "arguments.hpp"
#include "driver/driver.hpp"
#include "output/console.hpp"
#include "output/live_view.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::cli {

/// --workers, --listen and --store.
std::vector<Option> running_options();

/// --amend and --default.
std::vector<Option> amending_options();
/// Takes them, where a verb has them.
void take_amendment(const Arguments& arguments, driver::Options& options);

/// Plan of a study as a display of its progress has to know it.
Expected expected_of(const spec::StudySpec& spec);

/// Checks the options without running anything, for verbs that write before they run.
/// @throws Error(usage) as run_study() would.
void check_running_options(const spec::StudySpec& spec, const Arguments& arguments);

/// Rejects options about workers and results beside one with which a verb runs nothing.
/// @param beside  that option, which may have been given  @throws Error(usage).
void require_no_running(const Arguments& arguments, const std::string& beside);

/// Runs to the end, prints the best trials to standard output and where everything lies to standard error.
/// @return 0 done; 1 more failures than the study allows; 130 interrupted or stopped, resumable
int run_study(const spec::StudySpec& spec, const Arguments& arguments, Console& console);
/// The same for a study that follows from one that these options are about: --amend is not for it.
int run_following(const spec::StudySpec& spec, const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
