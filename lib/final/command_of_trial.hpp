// SPDX-License-Identifier: Apache-2.0
// The command of a program as it was for one trial.
#pragma once
#include <filesystem>

#include "report/selectors.hpp"
#include "util/json.hpp"

namespace dlrun::final {

/// Parameters of a study and of one of its trials.
struct TrialParameters {
  const Json& space;   ///< the study's, in normal form
  const Json& params;  ///< the trial's active parameters by name
  bool has_cells;      ///< an ablation: some say which cell the trial is
};

/// Takes out of `trial.command` the arguments that name a parameter which is not active: a study of this trial alone
/// does not have it.
void settle_command(Json& trial, const TrialParameters& parameters);

/// As above, by the parameters of a trial in the store.
void settle_command(Json& trial, const std::filesystem::path& store, const report::OneTrial& of);

}  // namespace dlrun::final
