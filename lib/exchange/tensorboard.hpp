// SPDX-License-Identifier: Apache-2.0
// Studies as a log folder of TensorBoard: a run for each trial, and the table of the plugin `hparams`.
#pragma once
#include "exchange/exported.hpp"

namespace dlrun::exchange {

/// Writes DIR/STUDY/TRIAL/events.out.tfevents.… for each trial that has started, with
/// DIR/STUDY/TRIAL/replicate-R-fold-F for each member where trials have several, and the table's columns into DIR.
/// @throws Error(usage) the folder; Error(store); Error(outside).
Exported export_tensorboard(const ExportRequest& request);

}  // namespace dlrun::exchange
