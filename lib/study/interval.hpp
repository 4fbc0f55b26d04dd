// SPDX-License-Identifier: Apache-2.0
// Mean of a trial's members and its confidence interval.
#pragma once
#include <vector>

#include "statistics/summary.hpp"
#include "study/types.hpp"

namespace dlrun::study {

using statistics::mean;

/// Two-sided 95 % interval of the mean (Student's t); nullopt: fewer than two values.
std::optional<Interval> interval(const std::vector<double>& values);

}  // namespace dlrun::study
