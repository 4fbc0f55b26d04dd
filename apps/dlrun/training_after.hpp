// SPDX-License-Identifier: Apache-2.0
// Plans and runs the final training of a study that is in the store.
#pragma once
#include <string>
#include <vector>

#include "arguments.hpp"
#include "output/console.hpp"
#include "spec/study_spec.hpp"
#include "util/json.hpp"

namespace dlrun::cli {

struct FinalOrder {
  std::string study;              ///< the search
  Json final;                     ///< in its normal form
  std::string name;               ///< name of the new study
  std::vector<std::string> sets;  ///< --set, of the new study
};

/// Place of faults of the planned study, which no file has.
std::string source_name(const FinalOrder& order);

/// A race for its start runs first, where the policy is `race`. --plan and --output, where the verb has them, stop
/// before anything runs. @return as run_study()
int train_after(FinalOrder order, const Arguments& arguments, Console& console);

/// Trains after a search that is done, where the study has `final:` and is no final training itself; else 0. The
/// section of the file counts, not the one with which the search began. A final training of the same section and best
/// trial that was begun goes on as it began, whatever has become of its donors' checkpoints.
int train_after_search(const spec::StudySpec& spec, const Arguments& arguments, Console& console);

/// The final training after a race for its start that is over; 0 for any other study.
int train_after_race(const spec::StudySpec& race, const Arguments& arguments, Console& console);

/// Trains after a search for verbs that read no file: a final training of the trial that is the best now, or a race for
/// its start, that was begun goes on as it began; else `final:` counts that the store keeps.
int go_on_after_search(const spec::StudySpec& spec, const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
