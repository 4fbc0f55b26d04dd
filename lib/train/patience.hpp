// SPDX-License-Identifier: Apache-2.0
// Early stopping: a function of the reports so far, so that it is the same wherever a training is cut.
#pragma once
#include <vector>

#include "train/config.hpp"
#include "trial/trial.hpp"

namespace dlrun::train {

/// Whether for more than `patience` epochs in a row the metric was not better than the best before by more than
/// min_delta. @throws Error(usage) where a report has no such metric.
bool is_exhausted(const StopConfig& config, const std::vector<trial::Report>& reports);

}  // namespace dlrun::train
