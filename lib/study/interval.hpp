// SPDX-License-Identifier: Apache-2.0
// The mean of a trial's members and how sure it is.
#pragma once
#include <vector>

#include "statistics/summary.hpp"
#include "study/types.hpp"

namespace dlrun::study {

using statistics::mean;

/// The two-sided 95 % interval of the mean (Student's t). nullopt: fewer than two values.
std::optional<Interval> interval(const std::vector<double>& values);

}  // namespace dlrun::study
