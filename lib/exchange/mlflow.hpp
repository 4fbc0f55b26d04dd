// SPDX-License-Identifier: Apache-2.0
// Studies as a file store of MLflow: an experiment for each study, a run for each trial.
#pragma once
#include "exchange/exported.hpp"

namespace dlrun::exchange {

/// Writes DIR/EXPERIMENT/RUN with the run's params, metrics by epoch, tags and a list of its artifacts. Where trials
/// have several members each is a child run, and the trial's run has the means.
/// @throws Error(usage) the folder; Error(store); Error(outside).
Exported export_mlflow(const ExportRequest& request);

}  // namespace dlrun::exchange
